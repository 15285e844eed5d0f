package dev.runnel.surface.slack.render;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/// Renders a Markdown table for Slack, which has no tables: aligned in a code block, or, if it is
/// too wide or contains links, as a list with one line per row.
final class MrkdwnTable {
  /// The columns that fit on a line of a code block in a narrow window.
  private static final int WIDEST = 72;

  private static final Pattern DELIMITER =
      Pattern.compile(
          "\\s*+\\|?+(?:\\s*+:?+-++:?+\\s*+\\|)++(?:\\s*+:?+-++:?+\\s*+)?+|\\s*+\\|\\s*+-++\\s*+");
  private static final Pattern BETWEEN_CELLS = Pattern.compile("(?<!\\\\)\\|");
  private static final Pattern BREAK = Pattern.compile("(?i)<br\\s*/?>");
  private static final Pattern LINK = Pattern.compile("]\\(|https?://");

  private final List<String> header;
  private final List<Boolean> right;
  private final List<List<String>> rows;

  private MrkdwnTable(List<String> header, List<Boolean> right, List<List<String>> rows) {
    this.header = header;
    this.right = right;
    this.rows = rows;
  }

  static boolean startsAt(List<String> lines, int at) {
    return at + 1 < lines.size()
        && lines.get(at).indexOf('|') >= 0
        && DELIMITER.matcher(lines.get(at + 1)).matches();
  }

  /// The end of the table that starts there: the index of the first line after it.
  static int end(List<String> lines, int start) {
    var end = start + 2;
    while (end < lines.size() && lines.get(end).indexOf('|') >= 0) {
      end++;
    }
    return end;
  }

  static MrkdwnTable read(List<String> lines) {
    var right =
        cells(lines.get(1)).stream().map(it -> it.endsWith(":") && !it.startsWith(":")).toList();
    return new MrkdwnTable(
        cells(lines.getFirst()),
        right,
        lines.subList(2, lines.size()).stream().map(MrkdwnTable::cells).toList());
  }

  private static List<String> cells(String line) {
    var text = line.strip();
    if (text.startsWith("|")) {
      text = text.substring(1);
    }
    if (text.endsWith("|") && !text.endsWith("\\|")) {
      text = text.substring(0, text.length() - 1);
    }
    return BETWEEN_CELLS
        .splitAsStream(text)
        .map(it -> BREAK.matcher(it).replaceAll(" ").replace("\\|", "|").strip())
        .toList();
  }

  /// @param spans converts a cell's Markdown to mrkdwn
  /// @param escape escapes plain text
  List<String> lines(UnaryOperator<String> spans, UnaryOperator<String> escape) {
    var all = new ArrayList<List<String>>();
    all.add(header.stream().map(MrkdwnTable::bare).toList());
    rows.forEach(row -> all.add(row.stream().map(MrkdwnTable::bare).toList()));
    var columns = all.stream().mapToInt(List::size).max().orElse(0);
    var widths = new int[columns];
    for (var row : all) {
      for (var i = 0; i < row.size(); i++) {
        widths[i] = Math.max(widths[i], width(row.get(i)));
      }
    }
    var total = 2 * Math.max(0, columns - 1);
    for (var width : widths) {
      total += width;
    }
    var hasLinks = rows.stream().flatMap(List::stream).anyMatch(it -> LINK.matcher(it).find());
    return total > WIDEST || hasLinks ? listed(spans) : aligned(all, widths, escape);
  }

  private List<String> aligned(List<List<String>> all, int[] widths, UnaryOperator<String> escape) {
    var lines = new ArrayList<String>();
    lines.add("```");
    for (var row : all) {
      var line = new StringBuilder();
      for (var i = 0; i < row.size(); i++) {
        var gap = " ".repeat(widths[i] - width(row.get(i)));
        var isRight = i < right.size() && right.get(i);
        line.append(i == 0 ? "" : "  ")
            .append(isRight ? gap : "")
            .append(escape.apply(row.get(i)))
            .append(isRight ? "" : gap);
      }
      lines.add(line.toString().stripTrailing());
      if (lines.size() == 2) {
        var rule = new ArrayList<String>();
        for (var width : widths) {
          rule.add("-".repeat(Math.max(1, width)));
        }
        lines.add(String.join("  ", rule));
      }
    }
    lines.add("```");
    return lines;
  }

  /// `• *first cell* · Second: cell · Third: cell`
  private List<String> listed(UnaryOperator<String> spans) {
    var lines = new ArrayList<String>();
    for (var row : rows) {
      var parts = new ArrayList<String>();
      for (var i = 0; i < row.size(); i++) {
        var cell = row.get(i);
        if (!cell.isBlank()) {
          var name = i > 0 && i < header.size() ? header.get(i) : "";
          parts.add((name.isBlank() ? "" : spans.apply(name) + ": ") + spans.apply(cell));
        }
      }
      if (!parts.isEmpty()) {
        lines.add("• " + String.join(" · ", parts));
      }
    }
    return lines;
  }

  /// Removes style marks, which have no effect in a code block.
  private static String bare(String cell) {
    return cell.replace("**", "").replace("__", "").replace("~~", "").replace("`", "");
  }

  /// The width in columns of a fixed-width font, approximately.
  private static int width(String text) {
    return text.codePoints().map(MrkdwnTable::width).sum();
  }

  private static int width(int character) {
    return switch (Character.getType(character)) {
      case Character.NON_SPACING_MARK, Character.ENCLOSING_MARK, Character.FORMAT -> 0;
      default ->
          (character >= 0x1100 && character <= 0x115F)
                  || (character >= 0x2E80 && character <= 0xA4CF)
                  || (character >= 0xAC00 && character <= 0xD7A3)
                  || (character >= 0xF900 && character <= 0xFAFF)
                  || (character >= 0xFE30 && character <= 0xFF60)
                  || (character >= 0x1F300 && character <= 0x1FAFF)
                  || (character >= 0x20000 && character <= 0x3FFFD)
              ? 2
              : 1;
    };
  }
}
