package dev.runnel.surface.markdown;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.commonmark.Extension;
import org.commonmark.ext.autolink.AutolinkExtension;
import org.commonmark.ext.autolink.AutolinkType;
import org.commonmark.ext.gfm.strikethrough.StrikethroughExtension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.internal.InlineParserImpl;
import org.commonmark.node.BlockQuote;
import org.commonmark.node.Code;
import org.commonmark.node.CustomNode;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.HardLineBreak;
import org.commonmark.node.Heading;
import org.commonmark.node.HtmlInline;
import org.commonmark.node.IndentedCodeBlock;
import org.commonmark.node.ListBlock;
import org.commonmark.node.Node;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.Text;
import org.commonmark.node.ThematicBreak;
import org.commonmark.parser.IncludeSourceSpans;
import org.commonmark.parser.InlineParser;
import org.commonmark.parser.InlineParserContext;
import org.commonmark.parser.Parser;
import org.commonmark.parser.SourceLines;

/// Parses Markdown as [CommonMark](https://spec.commonmark.org) defines it. Nesting and the size of
/// tables are limited, so that the tree can be walked recursively and in time. A paragraph with
/// very many brackets stays plain text. Thread-safe.
public final class MarkdownParser {
  private static final int MAX_OPEN_BLOCKS = 40;
  private static final int MAX_INLINE_NESTING = 20;
  // A table's rows have as many cells as its header, so a short text can define very many.
  private static final int MAX_CELLS = 20_000;

  /// Of a paragraph. For each link, the library looks at all brackets that are open before it.
  static final int MAX_BRACKETS = 1_000;

  private static final Parser WITHOUT_TABLES = answers(List.of());
  private static final Parser ANSWERS =
      answers(List.of(TablesExtension.builder().maxCells(MAX_CELLS).build()));
  private static final Parser SOURCE =
      builder()
          .includeSourceSpans(IncludeSourceSpans.BLOCKS_AND_INLINES)
          .maxOpenBlockParsers(MAX_OPEN_BLOCKS)
          .maxInlineNesting(MAX_INLINE_NESTING)
          .build();

  private static final Parser COMMENTS =
      builder()
          .extensions(List.of(TablesExtension.builder().maxCells(MAX_CELLS).build()))
          .includeSourceSpans(IncludeSourceSpans.BLOCKS_AND_INLINES)
          .maxOpenBlockParsers(MAX_OPEN_BLOCKS)
          .maxInlineNesting(MAX_INLINE_NESTING)
          .build();

  private MarkdownParser() {}

  private static Parser.Builder builder() {
    return Parser.builder().inlineParserFactory(LimitedInlineParser::new);
  }

  /// A text that is not parsed, because it has too many brackets.
  static final class Unparsed extends CustomNode {}

  /// Leaves a text with too many brackets as it is.
  private record LimitedInlineParser(InlineParser parser) implements InlineParser {
    LimitedInlineParser(InlineParserContext context) {
      this(new InlineParserImpl(context));
    }

    @Override
    public void parse(SourceLines lines, Node node) {
      if (brackets(lines) <= MAX_BRACKETS) {
        parser.parse(lines, node);
        return;
      }
      var all = new Unparsed();
      all.setSourceSpans(lines.getSourceSpans());
      for (var line : lines.getLines()) {
        if (all.getFirstChild() != null) {
          all.appendChild(new SoftLineBreak());
        }
        var text = new Text(line.getContent().toString());
        if (line.getSourceSpan() != null) { // only where the parser includes those of inlines
          text.setSourceSpans(List.of(line.getSourceSpan()));
        }
        all.appendChild(text);
      }
      node.appendChild(all);
    }

    private static long brackets(SourceLines lines) {
      return lines.getLines().stream()
          .flatMapToInt(line -> line.getContent().chars())
          .filter(each -> each == '[')
          .count();
    }
  }

  private static Parser answers(List<Extension> more) {
    var extensions = new ArrayList<>(more);
    extensions.add(StrikethroughExtension.builder().requireTwoTildes(true).build());
    extensions.add(AutolinkExtension.builder().linkTypes(AutolinkType.URL).build());
    return builder()
        .extensions(extensions)
        .enabledBlockTypes(
            // In the order in which they are tried: `* * *` is no list.
            new LinkedHashSet<>(
                List.of(
                    BlockQuote.class,
                    Heading.class,
                    FencedCodeBlock.class,
                    ThematicBreak.class,
                    ListBlock.class,
                    IndentedCodeBlock.class)))
        .includeSourceSpans(IncludeSourceSpans.BLOCKS)
        .maxOpenBlockParsers(MAX_OPEN_BLOCKS)
        .maxInlineNesting(MAX_INLINE_NESTING)
        .build();
  }

  /// Parses the text of an agent, with tables, strikethrough and bare links. There are no blocks of
  /// HTML: the Markdown inside them is parsed too. Blocks have their positions in the source.
  public static Node parse(String markdown) {
    try {
      return ANSWERS.parse(markdown);
    } catch (IllegalArgumentException e) {
      // A table exceeds the limit. Its lines become a paragraph.
      return WITHOUT_TABLES.parse(markdown);
    }
  }

  /// Parses the text of people, with blocks of HTML. All nodes have their positions in the source.
  static Node parseSource(String markdown) {
    return SOURCE.parse(markdown);
  }

  /// Parses a comment as trackers do, with blocks of HTML and tables. All nodes have their
  /// positions in the source.
  ///
  /// @return empty if a table exceeds the limit
  static Optional<Node> parseComment(String markdown) {
    try {
      return Optional.of(COMMENTS.parse(markdown));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  public static List<Node> children(Node parent) {
    var children = new ArrayList<Node>();
    for (var child = parent.getFirstChild(); child != null; child = child.getNext()) {
      children.add(child);
    }
    return children;
  }

  /// The text in a node without formatting, on one line.
  ///
  /// @param html converts an HTML tag to text
  public static String text(Node node, UnaryOperator<String> html) {
    return switch (node) {
      case Text text -> text.getLiteral();
      case Code code -> code.getLiteral();
      case HtmlInline tag -> html.apply(tag.getLiteral());
      case SoftLineBreak _, HardLineBreak _ -> " ";
      default ->
          children(node).stream().map(child -> text(child, html)).collect(Collectors.joining());
    };
  }
}
