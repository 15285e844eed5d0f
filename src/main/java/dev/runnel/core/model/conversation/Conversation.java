package dev.runnel.core.model.conversation;

import java.util.regex.Pattern;

/// One thread or issue: the unit of ordering, of mutual exclusion, and of the binding to a run.
///
/// @param surface the surface it belongs to
/// @param key a path whose last part names the thread: `T1/C1/1700000000.000100`, `acme/shop#7`; or
///   a container and the number of the thread: `SHOP-12`. Only its surface interprets the parts
public record Conversation(SurfaceId surface, String key) {
  /// Separators between the parts of a key.
  private static final String SEPARATORS = "/:#!~";

  /// An id whose key is a container and the number of the thread in it: `jira:SHOP-12`.
  private static final Pattern NUMBERED = Pattern.compile("^[^:]+:[A-Z][A-Z0-9_]*-[1-9][0-9]*");

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

  /// Whether a part of an id ends at the index, so that the text before it names a place that
  /// contains the conversation: of `slack:T1/C1/1.2` for example `slack:T1`, of `jira:SHOP-12`
  /// `jira:SHOP`.
  public static boolean isEndOfPart(String id, int index) {
    return index == id.length()
        || SEPARATORS.indexOf(id.charAt(index)) >= 0
        || (index == id.lastIndexOf('-') && isNumbered(id));
  }

  /// Whether the key is a container and the number of the thread in it, as `SHOP-12`.
  public boolean isNumbered() {
    return isNumbered(id());
  }

  private static boolean isNumbered(String id) {
    return NUMBERED.matcher(id).matches();
  }

  /// The conversation between the console and its visitors about this one.
  public Conversation inConsole() {
    return surface.equals(SurfaceId.CONSOLE) ? this : new Conversation(SurfaceId.CONSOLE, id());
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
