package dev.runnel.text;

import java.util.stream.IntStream;

/// Escapes invisible characters in a text that people must decide about. Pure.
public final class VisibleText {
  private static final int MAX_MARKS = 2;

  /// Maximum width of a sequence of blanks that is not escaped, in columns: about that of an
  /// indented line after an empty one.
  private static final int MAX_WIDTH = 40;

  private VisibleText() {}

  /// The text with escaped code points for control characters, invisible characters, letters
  /// without a glyph, and unusual spaces. Combining marks that may cover other characters are
  /// escaped, too, and so are long sequences of blanks, with their number.
  public static String of(String text) {
    var points = text.codePoints().toArray();
    var result = new StringBuilder(points.length);
    var marks = MAX_MARKS;
    for (int at = 0; at < points.length; ) {
      var end = endOfBlanks(points, at);
      if (end > at) {
        addBlanks(result, points, at, end);
        marks = MAX_MARKS;
        at = end;
        continue;
      }
      var point = points[at++];
      if (!isVisible(point) || (isMark(point) && marks >= MAX_MARKS)) {
        result.append(escaped(point));
      } else {
        result.appendCodePoint(point);
        marks = isMark(point) ? marks + 1 : Character.isLetter(point) ? 0 : MAX_MARKS;
      }
    }
    return result.toString();
  }

  private static int endOfBlanks(int[] points, int from) {
    var end = from;
    while (end < points.length && isBlank(points[end])) {
      end++;
    }
    return end;
  }

  private static boolean isBlank(int point) {
    return point == ' ' || point == '\t' || point == '\n';
  }

  private static void addBlanks(StringBuilder result, int[] points, int from, int to) {
    if (IntStream.range(from, to).map(at -> width(points[at])).sum() <= MAX_WIDTH) {
      result.append(new String(points, from, to - from));
      return;
    }
    for (int at = from; at < to; ) {
      var next = at;
      while (next < to && points[next] == points[at]) {
        next++;
      }
      result.append(escaped(points[at])).append(next - at > 1 ? "×" + (next - at) : "");
      at = next;
    }
  }

  private static int width(int blank) {
    return blank == ' ' ? 1 : 8;
  }

  private static String escaped(int point) {
    return "\\u{%x}".formatted(point);
  }

  private static boolean isMark(int point) {
    return Character.getType(point) == Character.NON_SPACING_MARK
        || Character.getType(point) == Character.ENCLOSING_MARK;
  }

  private static boolean isVisible(int point) {
    return switch (Character.getType(point)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.SPACE_SEPARATOR,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> !hasNoGlyph(point);
    };
  }

  /// Letters, symbols and marks without a glyph. Most have the Unicode property
  /// `Default_Ignorable_Code_Point`, which Java does not provide.
  private static boolean hasNoGlyph(int point) {
    return switch (point) {
      case 0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, 0xFFFC -> true;
      case 0x13441, 0x13442, 0x16FE4, 0x1D159 -> true;
      default ->
          (point >= 0x180B && point <= 0x180F)
              || (point >= 0xFE00 && point <= 0xFE0F)
              || point >= 0xE0000;
    };
  }
}
