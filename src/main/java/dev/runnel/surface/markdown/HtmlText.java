package dev.runnel.surface.markdown;

import dev.runnel.core.prompt.InvisibleCharacters;
import dev.runnel.text.Truncation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;
import org.jsoup.parser.Parser;
import org.jsoup.select.NodeFilter;
import org.jspecify.annotations.Nullable;

/// Converts the HTML of a tracker's editor to Markdown, without hidden elements.
public final class HtmlText {
  private static final int MAX_SOURCE = 100_000;
  private static final int MAX_DEPTH = 250;
  private static final Set<String> BLOCKS =
      Set.of(
          "address", "article", "dd", "details", "div", "dl", "dt", "figure", "footer", "header",
          "main", "section", "summary", "table", "tr");
  private static final Set<String> PARAGRAPHS =
      Set.of("p", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "blockquote", "pre", "ol", "ul");
  private static final Pattern TICKS = Pattern.compile("`+");
  private static final Pattern NO_TARGET = Pattern.compile("[\\s<>\\\\\\p{Cntrl}]");
  // In a picture's text, these would end it, or join it with what follows.
  private static final Pattern MARKUP = Pattern.compile("[\\[\\]\\\\`\\s<]+");

  private HtmlText() {}

  /// @param attribute marks links that may stand for something else, such as a person
  /// @param replacement what a link stands for, by the attribute's value; empty for its own text
  public static String markdown(
      String html, String attribute, Function<String, Optional<String>> replacement) {
    var parser = Parser.htmlParser().setMaxDepth(MAX_DEPTH);
    var body = parser.parseInput(Truncation.head(html, MAX_SOURCE), "").body();
    var writer = new Writer(attribute, replacement);
    body.filter(writer);
    return writer.text();
  }

  private static final class Writer implements NodeFilter {
    private final String attribute;
    private final Function<String, Optional<String>> replacement;
    private final List<String> lines = new ArrayList<>();
    // One for each open list: the number of its last item, or below zero if it has no numbers.
    private final List<Integer> lists = new ArrayList<>();
    private final StringBuilder line = new StringBuilder();
    private String marker = "";
    private int quotes;
    private int written;
    private @Nullable Element code;

    Writer(String attribute, Function<String, Optional<String>> replacement) {
      this.attribute = attribute;
      this.replacement = replacement;
    }

    @Override
    public FilterResult head(Node node, int depth) {
      if (written + line.length() > MAX_SOURCE) {
        return FilterResult.STOP;
      }
      return switch (node) {
        case TextNode text -> {
          text(text);
          yield FilterResult.CONTINUE;
        }
        case Element element -> begin(element);
        default -> FilterResult.CONTINUE;
      };
    }

    @Override
    public FilterResult tail(Node node, int depth) {
      if (node instanceof Element element) {
        end(element);
      }
      return FilterResult.CONTINUE;
    }

    /// Within a block of code, text stays as it is.
    private void text(TextNode text) {
      if (code != null && isBlock(code)) {
        var each = text.getWholeText().split("\n", -1);
        for (var at = 0; at < each.length; at++) {
          if (at > 0) {
            endLine();
          }
          line.append(each[at]);
        }
        return;
      }
      var content = text.getWholeText().replaceAll("[\\s\\u00A0]+", " ");
      if (code == null) {
        // A visible `<` is not HTML.
        append(content.replace("<", "&lt;"));
      } else {
        line.append(content);
      }
    }

    /// Text in which no `![` begins a picture.
    private void append(String content) {
      var isImage =
          content.startsWith("[") && !line.isEmpty() && line.charAt(line.length() - 1) == '!';
      line.append(isImage ? " " : "").append(content.replace("![", "! ["));
    }

    private FilterResult begin(Element element) {
      if (!HiddenMarkupFilter.isVisible(element)) {
        return FilterResult.SKIP_ENTIRELY;
      }
      var replaced =
          element.hasAttr(attribute)
              ? replacement.apply(element.attr(attribute))
              : Optional.<String>empty();
      if (replaced.isPresent()) {
        line.append(replaced.get());
        return FilterResult.SKIP_ENTIRELY;
      }
      var name = element.normalName();
      if (isParagraph(name, lists.size())) {
        endParagraph();
      } else if (BLOCKS.contains(name) || isList(name)) {
        breakLine();
      }
      switch (name) {
        case "br" -> endLine();
        case "h1", "h2", "h3", "h4", "h5", "h6" ->
            line.append("#".repeat(name.charAt(1) - '0')).append(' ');
        case "blockquote" -> quotes++;
        case "ul" -> lists.add(-1);
        case "ol" -> lists.add(0);
        case "li" -> item();
        case "td", "th" -> line.append(line.isEmpty() ? "" : " | ");
        case "a" -> append(target(element, "href").isEmpty() ? "" : "[");
        case "img" -> image(element);
        case "pre", "code" -> beginCode(element);
        default -> {}
      }
      return FilterResult.CONTINUE;
    }

    private void end(Element element) {
      var name = element.normalName();
      switch (name) {
        case "a" -> line.append(target(element, "href").map("](<%s>)"::formatted).orElse(""));
        case "pre", "code" -> endCode(element);
        default -> {}
      }
      if (isParagraph(name, lists.size() - 1)) {
        endParagraph();
      } else if (BLOCKS.contains(name) || isList(name) || name.equals("li")) {
        breakLine();
      }
      switch (name) {
        case "blockquote" -> quotes--;
        case "ul", "ol" -> lists.removeLast();
        default -> {}
      }
    }

    private static boolean isList(String name) {
      return name.equals("ul") || name.equals("ol");
    }

    /// @param depth the number of lists that contain the element
    private static boolean isParagraph(String name, int depth) {
      return PARAGRAPHS.contains(name) && !(isList(name) && depth > 0);
    }

    private static boolean isBlock(Element code) {
      return code.normalName().equals("pre");
    }

    private void item() {
      breakLine();
      var isNumbered = !lists.isEmpty() && lists.getLast() >= 0;
      if (isNumbered) {
        lists.set(lists.size() - 1, lists.getLast() + 1);
      }
      marker = isNumbered ? lists.getLast() + ". " : "- ";
    }

    private static Optional<String> target(Element element, String name) {
      return Optional.of(NO_TARGET.matcher(element.attr(name)).replaceAll(""))
          .filter(url -> !url.isEmpty() && !url.startsWith("#"));
    }

    private void image(Element element) {
      var content = MARKUP.matcher(element.attr("alt")).replaceAll(" ");
      line.append(
          "![%s](<%s>)"
              .formatted(
                  InvisibleCharacters.line(content, HiddenMarkupFilter.MAX_DESCRIPTION),
                  target(element, "src").orElse("")));
    }

    private void beginCode(Element element) {
      if (code == null) {
        code = element;
        line.append(fence(element));
        if (isBlock(element)) {
          endLine();
        }
      }
    }

    private void endCode(Element element) {
      if (element.equals(code)) {
        if (isBlock(element)) {
          breakLine();
        }
        line.append(fence(element));
        if (isBlock(element)) {
          endLine();
        }
        code = null;
      }
    }

    /// Longer than any in the code.
    private static String fence(Element element) {
      var longest =
          TICKS
              .matcher(element.wholeText())
              .results()
              .mapToInt(run -> run.end() - run.start())
              .max()
              .orElse(0);
      return "`".repeat(Math.max(longest + 1, isBlock(element) ? 3 : 1));
    }

    private void breakLine() {
      if (!line.toString().isBlank()) {
        endLine();
      } else {
        line.setLength(0);
      }
    }

    private void endParagraph() {
      breakLine();
      if (!lines.isEmpty() && !lines.getLast().isBlank()) {
        lines.add("");
      }
    }

    private void endLine() {
      var text = code != null && isBlock(code) ? line.toString() : line.toString().strip();
      var indent = "  ".repeat(Math.max(0, lists.size() - (marker.isEmpty() ? 0 : 1)));
      // With the signs of all that is around it, a short line may become a long one.
      if (written <= MAX_SOURCE) {
        lines.add(
            text.isEmpty()
                ? "> ".repeat(quotes).stripTrailing()
                : "> ".repeat(quotes) + indent + marker + text);
        written += lines.getLast().length() + 1;
      }
      marker = text.isEmpty() ? marker : "";
      line.setLength(0);
    }

    String text() {
      breakLine();
      return String.join("\n", lines).replaceAll("\n{3,}", "\n\n").strip();
    }
  }
}
