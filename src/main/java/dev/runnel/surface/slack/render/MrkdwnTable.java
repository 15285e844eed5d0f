package dev.runnel.surface.slack.render;

import dev.runnel.surface.markdown.MarkdownParser;
import java.util.ArrayList;
import java.util.List;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.ext.gfm.tables.TableCell;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;

/// Renders a Markdown table for Slack, which has no tables: aligned in a code block, or, if it is
/// too wide or contains links, as a list with one line per row.
final class MrkdwnTable {
  /// The columns that fit on a line of a code block in a narrow window.
  private static final int MAX_WIDTH = 72;

  /// The rows with their cells; the first is the header. All rows have as many cells as the header.
  private final List<List<Node>> rows;

  MrkdwnTable(TableBlock table) {
    this.rows =
        MarkdownParser.children(table).stream()
            .flatMap(part -> MarkdownParser.children(part).stream())
            .map(MarkdownParser::children)
            .toList();
  }

  List<String> lines() {
    var text =
        rows.stream().map(row -> row.stream().map(MarkdownToMrkdwn::plain).toList()).toList();
    var widths = new int[rows.getFirst().size()];
    var total = 2 * (widths.length - 1);
    for (var column = 0; column < widths.length; column++) {
      for (var row : text) {
        widths[column] = Math.max(widths[column], width(row.get(column)));
      }
      total += widths[column];
    }
    var hasLinks = rows.stream().skip(1).flatMap(List::stream).anyMatch(MrkdwnTable::hasLink);
    return total > MAX_WIDTH || hasLinks ? listed() : aligned(text, widths);
  }

  private static boolean hasLink(Node node) {
    return node instanceof Link
        || node instanceof Image
        || MarkdownParser.children(node).stream().anyMatch(MrkdwnTable::hasLink);
  }

  private List<String> aligned(List<List<String>> text, int[] widths) {
    var lines = new ArrayList<String>();
    lines.add(Mrkdwn.FENCE);
    for (var row : text) {
      var line = new StringBuilder();
      for (var column = 0; column < widths.length; column++) {
        var cell = row.get(column);
        var gap = " ".repeat(widths[column] - width(cell));
        var isRight =
            rows.getFirst().get(column) instanceof TableCell header
                && header.getAlignment() == TableCell.Alignment.RIGHT;
        line.append(column == 0 ? "" : "  ")
            .append(isRight ? gap : "")
            .append(Mrkdwn.escape(cell))
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
    lines.add(Mrkdwn.FENCE);
    return lines;
  }

  /// `• *first cell* · Second: cell · Third: cell`
  private List<String> listed() {
    var lines = new ArrayList<String>();
    for (var row : rows.subList(1, rows.size())) {
      var parts = new ArrayList<String>();
      for (var column = 0; column < row.size(); column++) {
        var cell = MarkdownToMrkdwn.inline(row.get(column));
        if (!cell.isBlank()) {
          var name = column == 0 ? "" : MarkdownToMrkdwn.inline(rows.getFirst().get(column));
          parts.add((name.isBlank() ? "" : name + ": ") + cell);
        }
      }
      if (!parts.isEmpty()) {
        lines.add("• " + String.join(" · ", parts));
      }
    }
    return lines;
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
