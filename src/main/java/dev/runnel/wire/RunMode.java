package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/// How an agent handles its task: directly, with a plan that waits for approval, or by starting
/// other runs. Open: unknown values are preserved.
public record RunMode(@JsonValue String value) {
  public static final RunMode NORMAL = new RunMode("normal");
  public static final RunMode PLAN = new RunMode("plan");
  public static final RunMode ORCHESTRATE = new RunMode("orchestrate");

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public RunMode {}

  @Override
  public String toString() {
    return value;
  }
}
