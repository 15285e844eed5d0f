package dev.runnel.text;

/// Cuts texts without splitting a surrogate pair, whose halves are no characters. Pure.
public final class Truncation {
  private Truncation() {}

  /// The text if it has at most `longest` characters; else its beginning, which ends with `…` and
  /// has at most as many.
  public static String cut(String text, int longest) {
    return text.length() <= longest ? text : head(text, longest - 1).stripTrailing() + "…";
  }

  /// At most the first `longest` characters.
  public static String head(String text, int longest) {
    return text.length() <= longest ? text : text.substring(0, boundary(text, longest));
  }

  /// The position, or the one before it if the position is within a surrogate pair.
  public static int boundary(String text, int position) {
    return position > 0 && Character.isHighSurrogate(text.charAt(position - 1))
        ? position - 1
        : position;
  }
}
