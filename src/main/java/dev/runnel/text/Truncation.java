package dev.runnel.text;

/// Cuts texts without splitting a surrogate pair. Pure.
public final class Truncation {
  private Truncation() {}

  /// The text if it has at most `maxLength` characters; else its beginning with `…`, which has at
  /// most as many.
  public static String cut(String text, int maxLength) {
    return text.length() <= maxLength ? text : head(text, maxLength - 1).stripTrailing() + "…";
  }

  /// At most the first `maxLength` characters.
  public static String head(String text, int maxLength) {
    return text.length() <= maxLength ? text : text.substring(0, boundary(text, maxLength));
  }

  /// The position, or the one before it if the position is within a surrogate pair.
  public static int boundary(String text, int position) {
    return position > 0 && Character.isHighSurrogate(text.charAt(position - 1))
        ? position - 1
        : position;
  }
}
