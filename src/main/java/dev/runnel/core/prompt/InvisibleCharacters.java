package dev.runnel.core.prompt;

import dev.runnel.text.Truncation;
import java.lang.Character.UnicodeScript;
import java.util.EnumSet;
import java.util.Set;
import java.util.regex.Pattern;

/// Removes characters that people cannot see. Models read them, so they could carry text that
/// nobody in the thread notices. Invisible characters that letters and emoji need to be rendered
/// correctly stay.
public final class InvisibleCharacters {
  private static final Pattern LINE_END = Pattern.compile("\\r\\n?|[\\u2028\\u2029\\u0085]");
  private static final Pattern SPACE = Pattern.compile("[\\s\\h\\v]+");
  private static final int NON_JOINER = 0x200C;
  private static final int JOINER = 0x200D;
  private static final int TEXT_STYLE = 0xFE0E;
  private static final int EMOJI_STYLE = 0xFE0F;
  private static final int KEYCAP = 0x20E3;
  private static final int NONE = -1;

  /// Scripts in which a joiner is not part of a word.
  private static final Set<UnicodeScript> UNJOINED =
      EnumSet.of(
          UnicodeScript.COMMON,
          UnicodeScript.LATIN,
          UnicodeScript.GREEK,
          UnicodeScript.CYRILLIC,
          UnicodeScript.HAN);

  private InvisibleCharacters() {}

  /// The visible text, with line feeds as the only line separators.
  public static String text(String text) {
    if (text.chars().allMatch(InvisibleCharacters::isPlain)) {
      return text; // the fast path for most texts
    }
    var points = LINE_END.matcher(text).replaceAll("\n").codePoints().toArray();
    var visible = new StringBuilder(points.length);
    var before = NONE;
    for (var at = 0; at < points.length; at++) {
      var after = at + 1 < points.length ? points[at + 1] : NONE;
      if (isVisible(before, points[at], after)) {
        visible.appendCodePoint(points[at]);
        before = points[at];
      }
    }
    return visible.toString();
  }

  /// The visible text on one line, at most `maxLength` characters, ending with `…` if it was cut.
  public static String line(String text, int maxLength) {
    return Truncation.cut(SPACE.matcher(text(text)).replaceAll(" ").strip(), maxLength);
  }

  private static boolean isPlain(int character) {
    return (character >= ' ' && character <= '~') || character == '\n' || character == '\t';
  }

  private static boolean isVisible(int before, int point, int after) {
    if (point == '\n' || point == '\t') {
      return true;
    }
    if (point == JOINER || point == NON_JOINER) {
      return (point == JOINER && isEmoji(before) && isEmoji(after))
          || (isJoined(before) && isJoined(after));
    }
    if (point == TEXT_STYLE || point == EMOJI_STYLE) {
      return before != NONE && Character.isEmoji(before) && (before > 0x7F || after == KEYCAP);
    }
    if (isVariation(point)) {
      return before != NONE && Character.isIdeographic(before);
    }
    return !isInvisible(point);
  }

  private static boolean isEmoji(int point) {
    return point == EMOJI_STYLE || (point > 0x7F && Character.isEmoji(point));
  }

  private static boolean isJoined(int point) {
    if (point == NONE || !(Character.isLetter(point) || isMark(point))) {
      return false;
    }
    var script = UnicodeScript.of(point);
    return script == UnicodeScript.INHERITED ? isMark(point) : !UNJOINED.contains(script);
  }

  private static boolean isMark(int point) {
    return switch (Character.getType(point)) {
      case Character.NON_SPACING_MARK, Character.COMBINING_SPACING_MARK -> true;
      default -> false;
    };
  }

  private static boolean isVariation(int point) {
    return (point >= 0xFE00 && point <= 0xFE0F) || (point >= 0xE0100 && point <= 0xE01EF);
  }

  private static boolean isInvisible(int point) {
    return switch (Character.getType(point)) {
      case Character.CONTROL, Character.PRIVATE_USE, Character.SURROGATE -> true;
      case Character.FORMAT -> !isNumberSign(point);
      case Character.UNASSIGNED -> isNoCharacter(point) || point >= 0xE0000;
      default -> isBlank(point);
    };
  }

  /// Format characters that are visible: they enclose the digits after them.
  private static boolean isNumberSign(int point) {
    return (point >= 0x600 && point <= 0x605)
        || point == 0x6DD
        || point == 0x8E2
        || point == 0x110BD;
  }

  private static boolean isNoCharacter(int point) {
    return (point & 0xFFFE) == 0xFFFE || (point >= 0xFDD0 && point <= 0xFDEF);
  }

  /// Letters and marks without a visible glyph.
  private static boolean isBlank(int point) {
    return switch (point) {
      case 0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0 -> true;
      default -> point >= 0x180B && point <= 0x180F;
    };
  }
}
