package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/// The provider of a model. Open: unknown values are preserved.
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
