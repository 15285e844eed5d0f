package dev.runnel.surface.jira;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.surface.markdown.MarkdownParser;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.commonmark.ext.gfm.strikethrough.Strikethrough;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.ext.gfm.tables.TableCell;
import org.commonmark.node.BlockQuote;
import org.commonmark.node.BulletList;
import org.commonmark.node.Code;
import org.commonmark.node.Emphasis;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.HardLineBreak;
import org.commonmark.node.Heading;
import org.commonmark.node.HtmlInline;
import org.commonmark.node.Image;
import org.commonmark.node.IndentedCodeBlock;
import org.commonmark.node.Link;
import org.commonmark.node.ListBlock;
import org.commonmark.node.Node;
import org.commonmark.node.OrderedList;
import org.commonmark.node.Paragraph;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.StrongEmphasis;
import org.commonmark.node.Text;
import org.commonmark.node.ThematicBreak;

/// Converts Markdown to nodes of the Atlassian Document Format. A block that is not allowed in its
/// place keeps its text and loses its formatting.
///
/// @param mayPing whether a link to this account id becomes a mention
record MarkdownToAdf(Predicate<String> mayPing) {
  private static final int MAX_LINK = 4_000;
  private static final Pattern LANGUAGE = Pattern.compile("[A-Za-z0-9_+#.-]{1,40}");
  private static final Pattern WEB = Pattern.compile("(?i)(?:https?://|mailto:)\\S+");
  private static final Pattern TAG = Pattern.compile("<(?:(?<break>br)|/?su[bp])\\s*/?>");

  List<ObjectNode> of(String markdown) {
    return blocks(MarkdownParser.parse(markdown), false);
  }

  /// @param isNested in a quote or a list item, where fewer blocks are allowed
  private List<ObjectNode> blocks(Node parent, boolean isNested) {
    return MarkdownParser.children(parent).stream()
        .flatMap(block -> block(block, isNested))
        .toList();
  }

  private Stream<ObjectNode> block(Node block, boolean isNested) {
    return switch (block) {
      case Paragraph _ -> Stream.of(paragraph(block));
      case Heading heading -> Stream.of(isNested ? paragraph(heading) : heading(heading));
      case FencedCodeBlock code -> Stream.of(code(code.getLiteral(), code.getInfo()));
      case IndentedCodeBlock code -> Stream.of(code(code.getLiteral(), ""));
      case ThematicBreak _ -> isNested ? Stream.empty() : Stream.of(Adf.node("rule"));
      case BlockQuote _ -> quote(blocks(block, true), isNested);
      case BulletList list -> Stream.of(Adf.node("bulletList", items(list)));
      case OrderedList list -> Stream.of(ordered(list));
      case TableBlock table -> isNested ? rows(table) : Stream.of(table(table));
      default -> Stream.empty();
    };
  }

  private ObjectNode paragraph(Node text) {
    return Adf.node("paragraph", new Inline().all(text, Style.NONE).nodes());
  }

  private ObjectNode heading(Heading heading) {
    var block = Adf.node("heading", new Inline().all(heading, Style.NONE).nodes());
    block.putObject("attrs").put("level", heading.getLevel());
    return block;
  }

  private static ObjectNode code(String text, String info) {
    var block = Adf.node("codeBlock");
    var language = info.split("\\s+", 2)[0];
    if (LANGUAGE.matcher(language).matches()) {
      block.putObject("attrs").put("language", language);
    }
    var code = text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    if (!code.isEmpty()) {
      block.putArray("content").add(Adf.node("text").put("text", code));
    }
    return block;
  }

  private static Stream<ObjectNode> quote(List<ObjectNode> content, boolean isNested) {
    return isNested || content.isEmpty()
        ? content.stream()
        : Stream.of(Adf.node("blockquote", content));
  }

  private ObjectNode ordered(OrderedList list) {
    var block = Adf.node("orderedList", items(list));
    if (list.getMarkerStartNumber() != 1) {
      block.putObject("attrs").put("order", list.getMarkerStartNumber());
    }
    return block;
  }

  private List<ObjectNode> items(ListBlock list) {
    return MarkdownParser.children(list).stream().map(this::item).toList();
  }

  private ObjectNode item(Node item) {
    var blocks = new ArrayList<>(blocks(item, true));
    var type = blocks.isEmpty() ? "" : Adf.type(blocks.getFirst());
    if (!type.equals("paragraph") && !type.equals("codeBlock")) {
      blocks.addFirst(Adf.node("paragraph", List.of()));
    }
    return Adf.node("listItem", blocks);
  }

  private static Stream<List<Node>> cells(TableBlock table) {
    return MarkdownParser.children(table).stream()
        .flatMap(part -> MarkdownParser.children(part).stream())
        .map(MarkdownParser::children);
  }

  private ObjectNode table(TableBlock table) {
    return Adf.node(
        "table",
        cells(table)
            .map(row -> Adf.node("tableRow", row.stream().map(this::cell).toList()))
            .toList());
  }

  private ObjectNode cell(Node cell) {
    var isHeader = cell instanceof TableCell header && header.isHeader();
    return Adf.node(isHeader ? "tableHeader" : "tableCell", List.of(paragraph(cell)));
  }

  private Stream<ObjectNode> rows(TableBlock table) {
    return cells(table)
        .map(
            row -> {
              var text = new Inline();
              for (var cell : row) {
                text.text(cell == row.getFirst() ? "" : " · ", Style.NONE, false);
                text.all(cell, Style.NONE);
              }
              return Adf.node("paragraph", text.nodes());
            });
  }

  private enum Mark {
    CODE,
    STRONG,
    EM,
    STRIKE
  }

  private record Style(Set<Mark> of, Optional<String> link) {
    static final Style NONE = new Style(Set.of(), Optional.empty());

    Style with(Mark mark) {
      var more = EnumSet.of(mark);
      more.addAll(of);
      return new Style(more, link);
    }

    /// Code may have a link, but no other marks.
    Style code() {
      return new Style(Set.of(Mark.CODE), link);
    }

    List<ObjectNode> marks() {
      var marks = new ArrayList<ObjectNode>();
      if (link.isPresent()) {
        var node = Adf.node("link");
        node.putObject("attrs").put("href", link.get());
        marks.add(node);
      }
      for (var mark : Mark.values()) {
        if (of.contains(mark)) {
          marks.add(Adf.node(mark.name().toLowerCase(Locale.ROOT)));
        }
      }
      return marks;
    }
  }

  /// Collects inline nodes, and merges adjacent text of the same style.
  private final class Inline {
    private final List<ObjectNode> nodes = new ArrayList<>();
    private final StringBuilder text = new StringBuilder();
    private Style textStyle = Style.NONE;

    Inline all(Node parent, Style style) {
      MarkdownParser.children(parent).forEach(child -> add(child, style));
      return this;
    }

    private void add(Node node, Style style) {
      switch (node) {
        case Text text -> text(text.getLiteral(), style, false);
        case Code code -> text(code.getLiteral(), style, true);
        case SoftLineBreak _, HardLineBreak _ -> add(Adf.node("hardBreak"));
        case HtmlInline html -> tag(html.getLiteral(), style);
        case StrongEmphasis _ -> all(node, style.with(Mark.STRONG));
        case Emphasis _ -> all(node, style.with(Mark.EM));
        case Strikethrough _ -> all(node, style.with(Mark.STRIKE));
        case Link link -> link(link, link.getDestination(), style);
        case Image image -> link(image, image.getDestination(), style);
        default -> all(node, style);
      }
    }

    void text(String content, Style wanted, boolean isCode) {
      var style = isCode ? wanted.code() : wanted;
      if (!style.equals(textStyle)) {
        flush();
        textStyle = style;
      }
      text.append(content);
    }

    private void flush() {
      if (!text.isEmpty()) {
        var node = Adf.node("text").put("text", text.toString());
        var marks = textStyle.marks();
        if (!marks.isEmpty()) {
          node.putArray("marks").addAll(marks);
        }
        nodes.add(node);
        text.setLength(0);
      }
    }

    private void add(ObjectNode node) {
      flush();
      nodes.add(node);
    }

    List<ObjectNode> nodes() {
      flush();
      return nodes;
    }

    private void tag(String html, Style style) {
      var tag = TAG.matcher(html);
      if (!tag.matches()) {
        text(html.replace('\n', ' '), style, false);
      } else if (tag.group("break") != null) {
        add(Adf.node("hardBreak"));
      }
    }

    private void link(Node link, String target, Style style) {
      var label = MarkdownParser.text(link, UnaryOperator.identity());
      if (target.startsWith(Adf.PERSON)) {
        person(link, label, target.substring(Adf.PERSON.length()), style);
      } else if (style.link().isPresent()) {
        all(link, style);
      } else if (WEB.matcher(target).matches() && target.length() <= MAX_LINK) {
        var linked = new Style(style.of(), Optional.of(target));
        if (label.isBlank()) {
          text(target, linked, false);
        } else {
          all(link, linked);
        }
      } else {
        all(link, style);
        text(target.isEmpty() || target.equals(label) ? "" : " (" + target + ")", style, false);
      }
    }

    private void person(Node link, String name, String id, Style style) {
      if (mayPing.test(id)) {
        var mention = Adf.node("mention");
        mention.putObject("attrs").put("id", id).put("text", name);
        add(mention);
      } else {
        all(link, style);
      }
    }
  }
}
