package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/// Who makes a model. Open: a value that this version does not know is kept as it came.
public record ModelProvider(@JsonValue String value) {
  public static final ModelProvider OPENAI = new ModelProvider("OPENAI");
  public static final ModelProvider ANTHROPIC = new ModelProvider("ANTHROPIC");
  public static final ModelProvider GOOGLE = new ModelProvider("GOOGLE");
  public static final ModelProvider UNKNOWN = new ModelProvider("UNKNOWN");

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public ModelProvider {}

  @Override
  public String toString() {
    return value;
  }
}
