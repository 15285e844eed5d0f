package dev.runnel.surface.slack.render;

import dev.runnel.surface.markdown.MarkdownParser;
import dev.runnel.text.LinkLabel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.commonmark.ext.gfm.strikethrough.Strikethrough;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.node.Block;
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
import org.commonmark.node.ListItem;
import org.commonmark.node.Node;
import org.commonmark.node.OrderedList;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.StrongEmphasis;
import org.commonmark.node.Text;
import org.commonmark.node.ThematicBreak;

/// Renders Markdown as lines of mrkdwn. Blocks keep the blank lines that the source has between
/// them. Slack shows code blocks, quotes and tables only at the beginning of a line, and nests
/// neither quotes nor code.
final class MarkdownToMrkdwn {
  private static final Pattern TASK = Pattern.compile("^\\[(?<mark>[ xX])]\\s+");
  private static final Pattern FOLD = Pattern.compile("(?i)</?(?:details|summary)\\s*>|<br\\s*/?>");
  private static final Pattern WEB = Pattern.compile("(?:https?://|mailto:).*", Pattern.DOTALL);

  private final List<String> lines = new ArrayList<>();
  // What precedes the lines of a list item: the first, and the others.
  private String marker = "";
  private String indent = "";
  private boolean isQuoted;
  // The line of the source after the last rendered block.
  private int next;

  private MarkdownToMrkdwn() {}

  static String of(String markdown) {
    var writer = new MarkdownToMrkdwn();
    writer.blocks(MarkdownParser.parse(Mrkdwn.clean(markdown)));
    return String.join("\n", writer.lines).strip();
  }

  private void blocks(Node parent) {
    MarkdownParser.children(parent).forEach(this::block);
  }

  private void block(Node block) {
    separate(block);
    switch (block) {
      case BlockQuote _ -> quote(block);
      case BulletList list -> items(list, _ -> list.getParent() instanceof ListItem ? "◦" : "•");
      case OrderedList list ->
          items(list, at -> list.getMarkerStartNumber() + at + list.getMarkerDelimiter());
      case Heading _ -> heading(block);
      case ThematicBreak _ -> line("———");
      case FencedCodeBlock code -> code(code.getLiteral());
      case IndentedCodeBlock code -> code(code.getLiteral());
      case TableBlock table -> table(new MrkdwnTable(table).lines());
      default -> text(inline(block));
    }
    passed(block);
  }

  private void passed(Node block) {
    var spans = block.getSourceSpans();
    next = spans.isEmpty() ? next : Math.max(next, spans.getLast().getLineIndex() + 1);
  }

  private void separate(Node block) {
    var spans = block.getSourceSpans();
    var first = spans.isEmpty() ? next : spans.getFirst().getLineIndex();
    for (; next < first && !lines.isEmpty(); next++) {
      lines.add(isQuoted ? "> " : "");
    }
  }

  private void line(String text) {
    var line = Mrkdwn.unfenced((marker.isEmpty() ? indent : marker) + text);
    marker = "";
    lines.add(isQuoted ? "> " + line : line);
  }

  private void text(String text) {
    if (!text.isEmpty()) {
      List.of(text.split("\n", -1)).forEach(this::line);
    }
  }

  private void quote(Node quote) {
    var isOuter = !isQuoted;
    isQuoted = true;
    blocks(quote);
    isQuoted = !isOuter;
  }

  private void heading(Node heading) {
    var text = inline(heading, true).strip();
    line(text.isEmpty() ? "" : "*" + text + "*");
  }

  private void code(String code) {
    var block = new ArrayList<String>();
    block.add(Mrkdwn.FENCE);
    code.lines().map(Mrkdwn::escape).forEach(block::add);
    block.add(Mrkdwn.FENCE);
    fenced(block);
  }

  /// Adjacent code blocks would be read as one.
  private void fenced(List<String> block) {
    if (!marker.isEmpty()) {
      line("");
    }
    if (!lines.isEmpty() && lines.getLast().equals(Mrkdwn.FENCE)) {
      lines.add("");
    }
    lines.addAll(block);
  }

  private void table(List<String> table) {
    if (table.contains(Mrkdwn.FENCE)) {
      fenced(table);
    } else {
      table.forEach(this::line);
    }
  }

  private void items(ListBlock list, IntFunction<String> sign) {
    var at = 0;
    for (var child : MarkdownParser.children(list)) {
      if (child instanceof ListItem item) {
        separate(item);
        item(item, box(item).orElse(sign.apply(at++)));
        passed(item);
      }
    }
  }

  private void item(ListItem item, String sign) {
    var outer = indent;
    marker = (marker.isEmpty() ? indent : marker) + " ".repeat(item.getMarkerIndent()) + sign + " ";
    indent += " ".repeat(item.getContentIndent());
    blocks(item);
    if (!marker.isEmpty()) {
      line("");
    }
    indent = outer;
  }

  /// The box of a task, which replaces its sign.
  private static Optional<String> box(ListItem item) {
    if (item.getFirstChild() instanceof Block first && first.getFirstChild() instanceof Text text) {
      var task = TASK.matcher(text.getLiteral());
      if (task.lookingAt()) {
        text.setLiteral(text.getLiteral().substring(task.end()));
        return Optional.of(" ".equals(task.group("mark")) ? "☐" : "☑");
      }
    }
    return Optional.empty();
  }

  static String inline(Node parent) {
    return inline(parent, false);
  }

  /// @param isBold whether the text is bold already; Slack does not nest a style in itself
  private static String inline(Node parent, boolean isBold) {
    return MarkdownParser.children(parent).stream()
        .map(node -> span(node, isBold))
        .collect(Collectors.joining());
  }

  private static String span(Node node, boolean isBold) {
    return switch (node) {
      case Text text -> Mrkdwn.escape(text.getLiteral());
      case Code code -> "`" + Mrkdwn.escape(code.getLiteral().replace('`', '\'')) + "`";
      case SoftLineBreak _, HardLineBreak _ -> "\n";
      case HtmlInline html -> Mrkdwn.escape(unfolded(html.getLiteral()));
      case StrongEmphasis _ -> isBold ? inline(node, true) : "*" + inline(node, true) + "*";
      case Emphasis _ -> "_" + inline(node, isBold) + "_";
      case Strikethrough _ -> "~" + inline(node, isBold) + "~";
      case Link link -> link(plain(link), link.getDestination());
      case Image image -> link(plain(image), image.getDestination());
      default -> inline(node, isBold);
    };
  }

  /// The text without formatting, not escaped.
  static String plain(Node node) {
    return MarkdownParser.text(node, MarkdownToMrkdwn::unfolded);
  }

  private static String unfolded(String html) {
    return FOLD.matcher(html).replaceAll("");
  }

  private static String link(String words, String target) {
    var label = Mrkdwn.escape(words.replace("|", ""));
    if (WEB.matcher(target).matches()) {
      var isBare = words.equals(target) || LinkLabel.misleads(words, target);
      return Mrkdwn.link(target, isBare ? "" : label);
    }
    return target.isEmpty() || target.equals(words)
        ? label
        : label + " (" + Mrkdwn.escape(target) + ")";
  }
}
