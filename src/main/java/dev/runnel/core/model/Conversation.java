package dev.runnel.core.model;

/// One thread or issue: the unit of order, of mutual exclusion, and of the bond to a run.
///
/// @param surface where it is
/// @param key what only its surface can read, for example `T1/C1/1700000000.000100`
public record Conversation(SurfaceId surface, String key) {
  public Conversation {
    Names.require("conversation key", key);
  }

  /// One string for both, as stored and logged: `slack:T1/C1/1700000000.000100`.
  public String id() {
    return surface + ":" + key;
  }

  /// The inverse of [#id()].
  public static Conversation parse(String id) {
    int colon = id.indexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException("Not a conversation id: " + id);
    }
    return new Conversation(new SurfaceId(id.substring(0, colon)), id.substring(colon + 1));
  }

  @Override
  public String toString() {
    return id();
  }
}
