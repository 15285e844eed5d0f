package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/// The agent that executes a run. Open: unknown values are preserved.
public record HarnessType(@JsonValue String value) {
  public static final HarnessType OZ = new HarnessType("oz");
  public static final HarnessType CLAUDE = new HarnessType("claude");
  public static final HarnessType GEMINI = new HarnessType("gemini");
  public static final HarnessType CODEX = new HarnessType("codex");

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public HarnessType {}

  @Override
  public String toString() {
    return value;
  }
}
