package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/// Which agent does the work. Open: a value that this version does not know is kept as it came.
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
