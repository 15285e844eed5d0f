package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/// Where a run is executed. Open: a value that this version does not know is kept as it came.
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
