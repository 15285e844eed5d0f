package dev.runnel.text;

import java.util.ArrayDeque;
import java.util.Deque;

/// Converts terminal output to the text that a person would see.
public final class TerminalText {
  private static final int MAX_DIGITS = 6;
  private static final char ESCAPE = 0x1B;
  private static final char BELL = 0x07;
  private static final char CONTROL_SEQUENCE = 0x9B;
  private static final char STRING_TERMINATOR = 0x9C;

  private static final int[] NONE = {};

  private final String text;
  private final StringBuilder visible = new StringBuilder();

  /// Where the current line begins in the visible text, while nothing of it is overwritten.
  private int lineStart;

  // The current line from the first move of the cursor on, one code point per cell, and the step
  // that wrote it, from the first partial erasure on. Most lines need neither.
  private boolean hasCells;
  private int[] cells = NONE;
  private int[] writtenAt = NONE;

  /// What erased the line up to a cell. Filled in at the end of the line, because each may be as
  /// long as the line. Later ones are shorter: a longer one replaces those before it.
  private final Deque<Erasure> erasures = new ArrayDeque<>();

  private int length;
  private int cursor;
  private int step;

  /// @param end the first cell that it leaves
  private record Erasure(int end, int at) {}

  private TerminalText(String text) {
    this.text = text;
  }

  /// Removes escape sequences, other control characters, and characters that change the direction
  /// of writing. Where parts of a line are overwritten, the last text is kept. Tabs, line feeds,
  /// and everything that letters and emoji consist of are kept.
  ///
  /// Takes time proportional to the length of the text, and memory of at most 10 bytes for each
  /// character in addition to the result; for text without moves of the cursor, at most 2. A line
  /// break ends every sequence.
  public static String plain(String text) {
    for (int at = 0; at < text.length(); ) {
      // Most output is ASCII, and agents may print much of it.
      if (isPrintableAscii(text.charAt(at))) {
        at++;
        continue;
      }
      var point = text.codePointAt(at);
      if (!isText(point)) {
        return new TerminalText(text).read();
      }
      at += Character.charCount(point);
    }
    return text;
  }

  private static boolean isPrintableAscii(int point) {
    return point >= ' ' && point <= '~';
  }

  private static boolean isText(int point) {
    return isPrintableAscii(point)
        || point == '\n'
        || point == '\t'
        || !(Character.isISOControl(point)
            || Character.getType(point) == Character.SURROGATE
            || isBidirectionalControl(point));
  }

  /// Whether it is a bidirectional control such as U+202E, which displays `jpg.exe` as `exe.gpj`.
  private static boolean isBidirectionalControl(int point) {
    return switch (Character.getDirectionality(point)) {
      case Character.DIRECTIONALITY_LEFT_TO_RIGHT_EMBEDDING,
          Character.DIRECTIONALITY_LEFT_TO_RIGHT_OVERRIDE,
          Character.DIRECTIONALITY_RIGHT_TO_LEFT_EMBEDDING,
          Character.DIRECTIONALITY_RIGHT_TO_LEFT_OVERRIDE,
          Character.DIRECTIONALITY_POP_DIRECTIONAL_FORMAT,
          Character.DIRECTIONALITY_LEFT_TO_RIGHT_ISOLATE,
          Character.DIRECTIONALITY_RIGHT_TO_LEFT_ISOLATE,
          Character.DIRECTIONALITY_FIRST_STRONG_ISOLATE,
          Character.DIRECTIONALITY_POP_DIRECTIONAL_ISOLATE ->
          true;
      default -> false;
    };
  }

  private String read() {
    for (int at = 0; at < text.length(); ) {
      var point = text.codePointAt(at);
      at += Character.charCount(point);
      switch (point) {
        case '\n' -> {
          endLine();
          visible.append('\n');
          lineStart = visible.length();
        }
        case '\r' -> {
          if (charAt(at) != '\n') {
            useCells(at);
            cursor = 0;
          }
        }
        case '\b' -> {
          useCells(at);
          cursor = Math.max(0, cursor - 1);
        }
        case ESCAPE -> at = afterEscape(at);
        case CONTROL_SEQUENCE -> at = afterControlSequence(at);
        // Device control, start of string, operating system command, privacy message, application.
        case 0x90, 0x98, 0x9D, 0x9E, 0x9F -> at = afterString(at);
        default -> {
          if (isText(point)) {
            put(point);
          }
        }
      }
    }
    endLine();
    return visible.toString();
  }

  private int afterEscape(int from) {
    return switch (charAt(from)) {
      case '[' -> afterControlSequence(from + 1);
      case 'P', 'X', ']', '^', '_' -> afterString(from + 1);
      default -> {
        var end = skip(from, 0x20, 0x2F);
        yield isIn(end, 0x30, 0x7E) ? end + 1 : end;
      }
    };
  }

  private int afterControlSequence(int from) {
    var endOfNumbers = skip(from, 0x30, 0x3F);
    var end = skip(endOfNumbers, 0x20, 0x2F);
    if (!isIn(end, 0x40, 0x7E)) {
      return end;
    }
    switch (charAt(end)) {
      case 'G' -> {
        useCells(end);
        cursor = Math.min(length, column(text.substring(from, endOfNumbers)));
      }
      case 'K' -> erase(text.substring(from, endOfNumbers), end);
      default -> {
        // Ignored: colours, and moves to other lines.
      }
    }
    return end + 1;
  }

  private static int column(String number) {
    var isNumber =
        !number.isEmpty()
            && number.length() <= MAX_DIGITS
            && number.chars().allMatch(digit -> digit >= '0' && digit <= '9');
    return isNumber ? Math.max(0, Integer.parseInt(number) - 1) : 0;
  }

  private void erase(String which, int at) {
    switch (which) {
      // Without cells, the cursor is at the end of the line.
      case "", "0" -> length = Math.min(length, cursor);
      case "1" -> {
        useCells(at);
        eraseTo(Math.min(length, cursor + 1));
      }
      case "2" -> {
        useCells(at);
        length = 0;
        cursor = 0;
      }
      default -> {
        // Not defined by any terminal.
      }
    }
  }

  private void eraseTo(int end) {
    if (writtenAt.length == 0) {
      writtenAt = new int[cells.length];
    }
    while (!erasures.isEmpty() && erasures.getLast().end() <= end) {
      erasures.removeLast();
    }
    erasures.addLast(new Erasure(end, ++step));
  }

  /// Whether the cell was erased after it was written. Asked from the first cell to the last.
  private boolean isErased(int cell) {
    while (!erasures.isEmpty() && erasures.getLast().end() <= cell) {
      erasures.removeLast();
    }
    return !erasures.isEmpty() && erasures.getLast().at() > writtenAt[cell];
  }

  /// Skips a string sequence; an unterminated one is ordinary text.
  private int afterString(int from) {
    var end = from;
    while (end < text.length() && !Character.isISOControl(text.charAt(end))) {
      end++;
    }
    return switch (charAt(end)) {
      case BELL, STRING_TERMINATOR -> end + 1;
      case ESCAPE -> charAt(end + 1) == '\\' ? end + 2 : from;
      default -> from;
    };
  }

  private int skip(int from, int first, int last) {
    var end = from;
    while (isIn(end, first, last)) {
      end++;
    }
    return end;
  }

  private boolean isIn(int at, int first, int last) {
    return at < text.length() && text.charAt(at) >= first && text.charAt(at) <= last;
  }

  /// The character, or beyond the end a line feed, which ends every sequence.
  private char charAt(int at) {
    return at < text.length() ? text.charAt(at) : '\n';
  }

  /// Moves the current line to cells, of which the rest of it may need as many as it has
  /// characters.
  private void useCells(int at) {
    if (hasCells) {
      return;
    }
    hasCells = true;
    var end = text.indexOf('\n', at);
    var most = visible.length() - lineStart + (end < 0 ? text.length() : end) - at;
    if (cells.length < most) {
      cells = new int[most];
      writtenAt = NONE;
    }
    for (int from = lineStart; from < visible.length(); ) {
      var point = visible.codePointAt(from);
      from += Character.charCount(point);
      put(point);
    }
    visible.setLength(lineStart);
  }

  private void put(int point) {
    if (!hasCells) {
      visible.appendCodePoint(point);
      return;
    }
    cells[cursor] = point;
    if (writtenAt.length > 0) {
      writtenAt[cursor] = ++step;
    }
    cursor++;
    length = Math.max(length, cursor);
  }

  private void endLine() {
    for (int cell = 0; cell < length; cell++) {
      visible.appendCodePoint(isErased(cell) ? ' ' : cells[cell]);
    }
    erasures.clear();
    hasCells = false;
    length = 0;
    cursor = 0;
    lineStart = visible.length();
  }
}
