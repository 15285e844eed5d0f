package dev.runnel.surface.jira;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Converts Markdown blocks to Atlassian Document Format nodes. A block that is not allowed in its
/// place keeps its text and loses its formatting.
final class MarkdownBlocks {
  private static final int DEEPEST = 12;
  private static final Pattern FENCE =
      Pattern.compile("(?<indent> {0,3})(?<fence>`{3,}(?!.*`)|~{3,})(?<info>.*)");
  private static final Pattern HEADING =
      Pattern.compile(" {0,3}(?<level>#{1,6})(?:[ \\t]+(?<text>.*?))?(?:[ \\t]+#+)?[ \\t]*");
  private static final Pattern QUOTE = Pattern.compile(" {0,3}> ?(?<text>.*)");
  private static final Pattern ITEM =
      Pattern.compile(
          "(?<indent> {0,3})(?<mark>[-*+]|(?<number>[0-9]{1,9})[.)])(?<gap> +|$)(?<text>.*)");
  private static final Pattern DELIMITERS =
      Pattern.compile(" {0,3}\\|?[ \\t]*:?-+:?[ \\t]*(?:\\|[ \\t]*:?-+:?[ \\t]*)*\\|?[ \\t]*");
  private static final Pattern LANGUAGE = Pattern.compile("[A-Za-z0-9_+#.-]{1,40}");
  private static final int MAX_DELIMITERS = 1_000;
  private static final String CODE_INDENT = "    ";

  private final MarkdownInline inline;

  MarkdownBlocks(MarkdownInline inline) {
    this.inline = inline;
  }

  /// The containers, which differ in the blocks they allow.
  private enum Place {
    DOCUMENT,
    QUOTE,
    ITEM
  }

  List<ObjectNode> of(String markdown) {
    var lines =
        markdown.replace("\r\n", "\n").replace('\r', '\n').replace("\t", CODE_INDENT).lines();
    return read(lines.toList(), Place.DOCUMENT, 0);
  }

  private List<ObjectNode> read(List<String> lines, Place place, int depth) {
    return new Reader(lines, place, depth).all();
  }

  private ObjectNode paragraph(String text) {
    return Adf.node("paragraph", inline.of(text));
  }

  private static int indent(String line) {
    return line.length() - line.stripLeading().length();
  }

  /// Three or more of the same character, with spaces between.
  private static boolean isRule(String line) {
    var signs = line.replace(" ", "");
    return signs.length() >= 3
        && indent(line) <= 3
        && "-*_".indexOf(signs.charAt(0)) >= 0
        && signs.chars().allMatch(sign -> sign == signs.charAt(0));
  }

  /// The cells of a table row; an escaped bar, or one in code, does not separate cells.
  private static List<String> cells(String line) {
    var text = line.strip();
    var cells = new ArrayList<String>();
    var cell = new StringBuilder();
    for (var at = text.startsWith("|") ? 1 : 0; at < text.length(); at++) {
      var sign = text.charAt(at);
      if (sign == '\\' && at + 1 < text.length()) {
        at++;
        cell.append(text.charAt(at) == '|' ? "|" : "\\" + text.charAt(at));
      } else if (sign == '|') {
        cells.add(cell.toString().strip());
        cell.setLength(0);
      } else {
        cell.append(sign);
      }
    }
    if (!cell.toString().isBlank()) {
      cells.add(cell.toString().strip());
    }
    return cells;
  }

  private final class Reader {
    private final List<String> lines;
    private final Place place;
    private final int depth;
    private final List<ObjectNode> blocks = new ArrayList<>();
    private int at;

    Reader(List<String> lines, Place place, int depth) {
      this.lines = lines;
      this.place = place;
      this.depth = depth;
    }

    List<ObjectNode> all() {
      while (at < lines.size()) {
        block();
      }
      return blocks;
    }

    private void block() {
      var line = lines.get(at);
      if (line.isBlank()) {
        at++;
      } else if (line.startsWith(CODE_INDENT)) {
        indentedCode();
      } else if (FENCE.matcher(line).matches()) {
        fencedCode();
      } else if (HEADING.matcher(line).matches()) {
        heading();
      } else if (isRule(line)) {
        at++;
        if (place == Place.DOCUMENT) {
          blocks.add(Adf.node("rule"));
        }
      } else if (isDeeper(QUOTE, line)) {
        quote();
      } else if (isDeeper(ITEM, line)) {
        list();
      } else if (isTable()) {
        table();
      } else {
        words();
      }
    }

    private boolean isDeeper(Pattern pattern, String line) {
      return depth < DEEPEST && pattern.matcher(line).matches();
    }

    private void code(String text, String language) {
      var block = Adf.node("codeBlock");
      if (LANGUAGE.matcher(language).matches()) {
        block.putObject("attrs").put("language", language);
      }
      if (!text.isEmpty()) {
        block.putArray("content").add(Adf.node("text").put("text", text));
      }
      blocks.add(block);
    }

    private void indentedCode() {
      var code = new ArrayList<String>();
      for (; at < lines.size(); at++) {
        var line = lines.get(at);
        if (!line.isBlank() && !line.startsWith(CODE_INDENT)) {
          break;
        }
        code.add(line.substring(Math.min(line.length(), CODE_INDENT.length())));
      }
      code(String.join("\n", code).stripTrailing(), "");
    }

    private void fencedCode() {
      var opening = FENCE.matcher(lines.get(at++));
      if (!opening.matches()) {
        throw new IllegalStateException("Looked at before");
      }
      var fence = Objects.requireNonNull(opening.group("fence"));
      var indent = Objects.requireNonNull(opening.group("indent")).length();
      var code = new ArrayList<String>();
      for (; at < lines.size(); at++) {
        var line = lines.get(at);
        var end = line.strip();
        if (end.length() >= fence.length()
            && indent(line) <= 3
            && end.chars().allMatch(each -> each == fence.charAt(0))) {
          at++;
          break;
        }
        code.add(line.substring(Math.min(indent, indent(line))));
      }
      var words = Objects.requireNonNull(opening.group("info")).strip().split("\\s+", 2);
      code(String.join("\n", code), words[0]);
    }

    private void heading() {
      var heading = HEADING.matcher(lines.get(at++));
      if (!heading.matches()) {
        throw new IllegalStateException("Looked at before");
      }
      var text = heading.group("text");
      var content = inline.of(text == null ? "" : text);
      var block = Adf.node(place == Place.DOCUMENT ? "heading" : "paragraph", content);
      if (place == Place.DOCUMENT) {
        block
            .putObject("attrs")
            .put("level", Objects.requireNonNull(heading.group("level")).length());
      }
      blocks.add(block);
    }

    private void quote() {
      var quoted = new ArrayList<String>();
      for (; at < lines.size(); at++) {
        var line = QUOTE.matcher(lines.get(at));
        if (line.matches()) {
          quoted.add(line.group("text"));
        } else if (quoted.getLast().isBlank() || startsBlock(lines.get(at))) {
          break;
        } else {
          quoted.add(lines.get(at));
        }
      }
      var content = read(quoted, place == Place.DOCUMENT ? Place.QUOTE : place, depth + 1);
      if (place != Place.DOCUMENT) {
        blocks.addAll(content);
      } else if (!content.isEmpty()) {
        blocks.add(Adf.node("blockquote", content));
      }
    }

    private void list() {
      var first = ITEM.matcher(lines.get(at));
      if (!first.matches()) {
        throw new IllegalStateException("Looked at before");
      }
      var kind = kind(Objects.requireNonNull(first.group("mark")));
      var number = first.group("number");
      var items = new ArrayList<ObjectNode>();
      while (at < lines.size()) {
        var item = ITEM.matcher(lines.get(at));
        if (!item.matches()
            || kind(Objects.requireNonNull(item.group("mark"))) != kind
            || isRule(lines.get(at))) {
          break;
        }
        items.add(item(item));
        var next = at;
        while (next < lines.size() && lines.get(next).isBlank()) {
          next++;
        }
        if (next < lines.size() && ITEM.matcher(lines.get(next)).matches()) {
          at = next;
        }
      }
      var list = Adf.node(number == null ? "bulletList" : "orderedList", items);
      if (number != null && Integer.parseInt(number) != 1) {
        list.putObject("attrs").put("order", Integer.parseInt(number));
      }
      blocks.add(list);
    }

    private static char kind(String mark) {
      return mark.charAt(mark.length() - 1);
    }

    private ObjectNode item(Matcher first) {
      var gap = Objects.requireNonNull(first.group("gap")).length();
      var text = Objects.requireNonNull(first.group("text"));
      var marked =
          Objects.requireNonNull(first.group("indent")).length()
              + Objects.requireNonNull(first.group("mark")).length();
      var isCode = gap > CODE_INDENT.length();
      var width = marked + (text.isEmpty() || isCode ? 1 : gap);
      var content = new ArrayList<String>();
      content.add(isCode ? " ".repeat(gap - 1) + text : text);
      for (at++; at < lines.size(); at++) {
        var line = lines.get(at);
        if (line.isBlank()) {
          content.add("");
        } else if (indent(line) >= width) {
          content.add(line.substring(width));
        } else if (content.getLast().isBlank()
            || startsBlock(line)
            || ITEM.matcher(line).matches()) {
          break;
        } else {
          content.add(line.stripLeading());
        }
      }
      var blocks = new ArrayList<>(read(content, Place.ITEM, depth + 1));
      var type = blocks.isEmpty() ? "" : Adf.type(blocks.getFirst());
      if (!type.equals("paragraph") && !type.equals("codeBlock")) {
        blocks.addFirst(Adf.node("paragraph", List.of()));
      }
      return Adf.node("listItem", blocks);
    }

    private boolean isTable() {
      return at + 1 < lines.size()
          && lines.get(at).contains("|")
          && lines.get(at + 1).contains("|")
          && lines.get(at + 1).length() <= MAX_DELIMITERS
          && DELIMITERS.matcher(lines.get(at + 1)).matches();
    }

    private void table() {
      var rows = new ArrayList<List<String>>();
      rows.add(cells(lines.get(at)));
      at += 2;
      while (at < lines.size() && lines.get(at).contains("|")) {
        rows.add(cells(lines.get(at++)));
      }
      if (place != Place.DOCUMENT) {
        rows.stream().map(row -> paragraph(String.join(" · ", row))).forEach(blocks::add);
        return;
      }
      var width = Math.max(1, rows.stream().mapToInt(List::size).max().orElse(1));
      var content = new ArrayList<ObjectNode>();
      for (var row : rows) {
        var type = content.isEmpty() ? "tableHeader" : "tableCell";
        var cells = new ArrayList<ObjectNode>();
        for (var cell = 0; cell < width; cell++) {
          cells.add(Adf.node(type, List.of(paragraph(cell < row.size() ? row.get(cell) : ""))));
        }
        content.add(Adf.node("tableRow", cells));
      }
      blocks.add(Adf.node("table", content));
    }

    private void words() {
      var text = new ArrayList<String>();
      do {
        text.add(lines.get(at++).stripLeading());
      } while (at < lines.size() && !startsBlock(lines.get(at)) && !isTable());
      var all = text.stream().collect(Collectors.joining("\n")).stripTrailing();
      blocks.add(paragraph(all));
    }

    /// Whether the line ends the paragraph before it.
    private boolean startsBlock(String line) {
      var item = ITEM.matcher(line);
      return line.isBlank()
          || FENCE.matcher(line).matches()
          || HEADING.matcher(line).matches()
          || isRule(line)
          || isDeeper(QUOTE, line)
          || (depth < DEEPEST
              && item.matches()
              && !Objects.requireNonNull(item.group("text")).isEmpty()
              && (item.group("number") == null || "1".equals(item.group("number"))));
    }
  }
}
