package dev.runnel.database;

/// Patterns for `LIKE ? ESCAPE '!'` that find a text as it is.
public final class Like {
  private Like() {}

  /// Matches what begins with the text.
  public static String prefix(String text) {
    return escaped(text) + "%";
  }

  /// Matches what contains the text.
  public static String containing(String text) {
    return "%" + escaped(text) + "%";
  }

  /// The text as a part of a pattern.
  public static String escaped(String text) {
    return text.replaceAll("[%_!]", "!$0");
  }
}
