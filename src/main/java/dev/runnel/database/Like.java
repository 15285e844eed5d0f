package dev.runnel.database;

/// Patterns for `LIKE ? ESCAPE '!'` that match a text literally.
public final class Like {
  private Like() {}

  /// Matches values that begin with the text.
  public static String prefix(String text) {
    return escaped(text) + "%";
  }

  /// Matches values that contain the text.
  public static String containing(String text) {
    return "%" + escaped(text) + "%";
  }

  /// The escaped text, for use in a pattern.
  public static String escaped(String text) {
    return text.replaceAll("[%_!]", "!$0");
  }
}
