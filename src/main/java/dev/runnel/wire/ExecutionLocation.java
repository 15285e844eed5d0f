package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/// Where a run is executed. Open: unknown values are preserved.
public record ExecutionLocation(@JsonValue String value) {
  public static final ExecutionLocation LOCAL = new ExecutionLocation("LOCAL");
  public static final ExecutionLocation REMOTE = new ExecutionLocation("REMOTE");

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public ExecutionLocation {}

  @Override
  public String toString() {
    return value;
  }
}
