package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/// Who wrote a message of a conversation. Open: unknown values are preserved.
public record MessageRole(@JsonValue String value) {
  public static final MessageRole USER = new MessageRole("user");
  public static final MessageRole ASSISTANT = new MessageRole("assistant");
  public static final MessageRole TOOL = new MessageRole("tool");
  public static final MessageRole SYSTEM = new MessageRole("system");

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public MessageRole {}

  @Override
  public String toString() {
    return value;
  }
}
