package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/// How far an action is. Open: a value that this version does not know is kept as it came.
public record ActionState(@JsonValue String value) {
  public static final ActionState RUNNING = new ActionState("running");
  public static final ActionState COMPLETED = new ActionState("completed");
  public static final ActionState FAILED = new ActionState("failed");
  public static final ActionState DENIED = new ActionState("denied");

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public ActionState {}

  @Override
  public String toString() {
    return value;
  }
}
