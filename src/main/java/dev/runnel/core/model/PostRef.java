package dev.runnel.core.model;

/// Where a post is, in its surface's own words: a message timestamp, a comment id.
public record PostRef(String value) {
  public PostRef {
    NameCheck.require("post reference", value);
  }

  @Override
  public String toString() {
    return value;
  }
}
