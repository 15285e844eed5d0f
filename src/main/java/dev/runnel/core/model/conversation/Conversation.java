package dev.runnel.core.model.conversation;

/// One thread or issue: the unit of ordering, of mutual exclusion, and of the binding to a run.
///
/// @param surface the surface it belongs to
/// @param key a path whose last part names the thread: `T1/C1/1700000000.000100`. Only its surface
///   interprets the parts
public record Conversation(SurfaceId surface, String key) {
  public Conversation {
    NameCheck.require("conversation key", key);
  }

  /// Surface and key in one string, as stored and logged: `slack:T1/C1/1700000000.000100`.
  public String id() {
    return surface + ":" + key;
  }

  /// The part of the key that names the thread's container, with its trailing slash: `T1/C1/`.
  public String place() {
    return key.substring(0, key.lastIndexOf('/') + 1);
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
