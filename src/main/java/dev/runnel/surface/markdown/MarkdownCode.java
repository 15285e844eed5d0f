package dev.runnel.surface.markdown;

import java.util.BitSet;
import java.util.Optional;
import java.util.regex.Pattern;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.node.Code;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.Link;
import org.commonmark.node.Node;

/// Finds the code and the links in angle brackets of a text, where words have no effect on any
/// tracker. What only some trackers show as code counts as text.
final class MarkdownCode {
  private static final Pattern URL_START = Pattern.compile("://|www\\.", Pattern.CASE_INSENSITIVE);

  /// The maximum length of a URL before code, so that this takes linear time.
  private static final int MAX_URL = 2_000;

  private final String source;
  private final BitSet code = new BitSet();
  private final BitSet html = new BitSet();
  private final BitSet fencedLines = new BitSet();
  private Optional<String> openFence = Optional.empty();

  private MarkdownCode(String source) {
    this.source = source;
  }

  static MarkdownCode of(String source) {
    var result = new MarkdownCode(source);
    MarkdownParser.parseComment(source)
        .ifPresent(
            document -> {
              result.visit(document);
              result.openFence = openFence(document.getLastChild());
            });
    return result;
  }

  /// Whether the character at a position is part of code or of such a link.
  boolean isCode(int at) {
    return code.get(at);
  }

  /// Whether the character at a position is part of a block of HTML, in which there is no Markdown.
  boolean isHtml(int at) {
    return html.get(at);
  }

  /// Whether a line is part of a fenced block, also within lists and quotes.
  boolean isFenced(int line) {
    return fencedLines.get(line);
  }

  /// The fence that ends the block at the end of the text; empty if none is open there.
  Optional<String> openFence() {
    return openFence;
  }

  private static Optional<String> openFence(Node last) {
    return last instanceof FencedCodeBlock block && block.getClosingFenceLength() == null
        ? Optional.of(block.getFenceCharacter().repeat(block.getOpeningFenceLength()))
        : Optional.empty();
  }

  private void visit(Node node) {
    switch (node) {
      case FencedCodeBlock _ -> {
        mark(node, code);
        node.getSourceSpans().forEach(span -> fencedLines.set(span.getLineIndex()));
      }
      case HtmlBlock _ -> mark(node, html);
      case Code _ -> markIfCertain(node);
      case Link _ when source.charAt(start(node)) == '<' -> markIfCertain(node);
      // Positions in cells are wrong behind an escaped bar.
      case TableBlock _ -> {}
      default -> MarkdownParser.children(node).forEach(this::visit);
    }
  }

  private static void mark(Node node, BitSet positions) {
    for (var span : node.getSourceSpans()) {
      positions.set(span.getInputIndex(), span.getInputIndex() + span.getLength());
    }
  }

  private static int start(Node node) {
    return node.getSourceSpans().getFirst().getInputIndex();
  }

  /// Only if every tracker shows it as code: it is on one line, and not in what GitHub takes for a
  /// URL.
  private void markIfCertain(Node node) {
    var start = start(node);
    var word = start;
    while (word > 0 && start - word < MAX_URL && !Character.isWhitespace(source.charAt(word - 1))) {
      word--;
    }
    if (node.getSourceSpans().size() == 1
        && start - word < MAX_URL
        && !URL_START.matcher(source).region(word, start).find()) {
      mark(node, code);
    }
  }
}
