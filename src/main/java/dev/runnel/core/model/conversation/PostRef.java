package dev.runnel.core.model.conversation;

/// A reference to a post in its surface's own format: a message timestamp, a comment id.
public record PostRef(String value) {
  public PostRef {
    NameCheck.require("post reference", value);
  }

  @Override
  public String toString() {
    return value;
  }
}
