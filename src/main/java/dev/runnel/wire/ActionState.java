package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/// The state of an action. Open: unknown values are preserved.
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
