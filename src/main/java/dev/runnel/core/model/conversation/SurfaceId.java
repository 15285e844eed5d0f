package dev.runnel.core.model.conversation;

/// The id of a surface: `slack`, `github`. Lower case, as in URL paths.
public record SurfaceId(String value) {
  public SurfaceId {
    NameCheck.require("surface id", value);
  }

  @Override
  public String toString() {
    return value;
  }
}
