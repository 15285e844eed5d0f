package dev.runnel.core.model.conversation;

/// The id of a surface: `slack`, `github`. Lower case, as in URL paths.
public record SurfaceId(String value) {
  /// The console, where people write to all runs.
  public static final SurfaceId CONSOLE = new SurfaceId("console");

  public SurfaceId {
    NameCheck.require("surface id", value);
  }

  @Override
  public String toString() {
    return value;
  }
}
