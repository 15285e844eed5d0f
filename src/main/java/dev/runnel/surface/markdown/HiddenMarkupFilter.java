package dev.runnel.surface.markdown;

import dev.runnel.core.prompt.InvisibleCharacters;
import dev.runnel.surface.markdown.MarkdownParser.Unparsed;
import dev.runnel.text.Truncation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.HtmlInline;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.LinkReferenceDefinition;
import org.commonmark.node.Node;
import org.jsoup.Jsoup;
import org.jsoup.nodes.CDataNode;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Range;
import org.jsoup.nodes.TextNode;
import org.jsoup.parser.ParseSettings;
import org.jsoup.parser.Parser;
import org.jspecify.annotations.Nullable;

/// Reduces a text, which a tracker shows as Markdown with HTML, to its visible part. Removes
/// comments, hidden elements, attributes and titles, and marks an image's alternative text as such.
/// Keeps code, which is visible.
///
/// The Markdown parser finds the tags that a tracker treats as HTML, and the HTML parser the
/// elements between them. Both provide positions in the source; the result is the source with edits
/// at these positions.
public final class HiddenMarkupFilter {
  private static final int MAX_SOURCE = 100_000;
  static final int MAX_DESCRIPTION = 100;
  // For each end tag, jsoup searches all open elements.
  private static final int MAX_DEPTH = 250;
  // jsoup ignores further attributes, which could hide the element.
  private static final int MAX_ATTRIBUTES = 512;

  private static final Set<String> HIDDEN_ELEMENTS =
      Set.of("script", "style", "template", "head", "title", "noembed", "noframes");
  private static final Set<String> VOID = Set.of("img", "input", "br", "hr");
  private static final Pattern HIDING_STYLE =
      Pattern.compile(
          "display:none|visibility:(?:hidden|collapse)|opacity:0(?:\\.0+)?(?![.\\d])"
              + "|font-size:(?:0|0?\\.\\d+|1px)(?![\\d.])|(?<!-)color:(?:transparent|white"
              + "|#fff(?:f{3})?(?![0-9a-f])|rgba?\\(255,255,255)"
              + "|(?:width|height):[01](?:px)?(?![\\d.%])|text-indent:-|clip(?:-path)?:"
              + "|(?:left|top):-\\d{3}");
  private static final Pattern WHITE = Pattern.compile("(?i)^\\s*(?:white|#fff(?:f{3})?)\\s*");
  private static final Pattern PIXEL = Pattern.compile("(?i)^\\s*[01](?:px)?\\s*");
  private static final Pattern BARE_TARGET = Pattern.compile("[^\\s()<>]+");

  private static final String UNPARSED =
      "[left out: a paragraph with more than %,d brackets]".formatted(MarkdownParser.MAX_BRACKETS);

  private record Edit(int to, String replacement) {}

  private final String source;
  // The source, with a space for each `<` that begins no HTML.
  private final char[] tags;
  // By start. Edits inside another one have no effect.
  private final NavigableMap<Integer, Edit> edits = new TreeMap<>();
  private final List<LinkReferenceDefinition> definitions = new ArrayList<>();
  private final Set<String> usedLabels = new HashSet<>();

  private HiddenMarkupFilter(String source) {
    this.source = source;
    this.tags = source.replace('<', ' ').toCharArray();
  }

  public static String text(String source) {
    var visible = InvisibleCharacters.text(Truncation.head(source, MAX_SOURCE));
    if (visible.indexOf('<') < 0 && visible.indexOf('[') < 0) {
      return visible.strip(); // neither HTML, nor a link, an image or a definition
    }
    var filter = new HiddenMarkupFilter(visible);
    filter.markdown(MarkdownParser.parseSource(filter.source));
    filter.definitions.forEach(filter::definition);
    filter.html();
    return filter.edited();
  }

  private static int start(Node node) {
    return node.getSourceSpans().getFirst().getInputIndex();
  }

  private static int end(Node node) {
    var last = node.getSourceSpans().getLast();
    return last.getInputIndex() + last.getLength();
  }

  private void edit(int from, int to, String replacement) {
    edits.merge(from, new Edit(to, replacement), (a, b) -> a.to() >= b.to() ? a : b);
  }

  /// Removes whole lines if they contain nothing else.
  private void cut(int from, int to) {
    var begin = from;
    while (begin > 0 && isSpace(source.charAt(begin - 1))) {
      begin--;
    }
    var next = to;
    while (next < source.length() && isSpace(source.charAt(next))) {
      next++;
    }
    var isAlone =
        (begin == 0 || source.charAt(begin - 1) == '\n')
            && next < source.length()
            && source.charAt(next) == '\n';
    edit(isAlone ? begin : from, isAlone ? next + 1 : to, "");
  }

  private static boolean isSpace(char sign) {
    return sign == ' ' || sign == '\t';
  }

  private void markdown(Node node) {
    switch (node) {
      case HtmlBlock _, HtmlInline _ -> {
        for (var span : node.getSourceSpans()) {
          source.getChars(
              span.getInputIndex(),
              span.getInputIndex() + span.getLength(),
              tags,
              span.getInputIndex());
        }
      }
      // What it hides is unknown.
      case Unparsed _ -> edit(start(node), end(node), UNPARSED);
      case LinkReferenceDefinition definition -> definitions.add(definition);
      case Image image -> {
        var from = start(image);
        var close = removeTitle(image, from + 2, image.getDestination(), image.getTitle());
        edit(from, close + 1, imageText(MarkdownParser.text(image, _ -> "")));
      }
      case Link link -> {
        removeTitle(link, start(link) + 1, link.getDestination(), link.getTitle());
        MarkdownParser.children(link).forEach(this::markdown);
      }
      default -> MarkdownParser.children(node).forEach(this::markdown);
    }
  }

  /// Removes the title of a link or an image, and notes the label of a reference.
  ///
  /// @param from where its words begin
  /// @return where the bracket stands that ends them
  private int removeTitle(Node node, int from, String target, @Nullable String title) {
    var end = end(node);
    var close = from;
    for (var child : MarkdownParser.children(node)) {
      close = child.getSourceSpans().isEmpty() ? close : end(child);
    }
    close = source.indexOf(']', close, end);
    switch (source.charAt(end - 1)) {
      case ')' -> {
        if (title != null) {
          edit(close + 1, end, "(" + target(target) + ")");
        }
      }
      case ']' -> {
        var isShort = end - close <= "][]".length();
        usedLabels.add(
            label(isShort ? source.substring(from, close) : source.substring(close + 2, end - 1)));
      }
      default -> {} // an address in angle brackets
    }
    return close;
  }

  private static String label(String label) {
    return label.strip().replaceAll("\\s+", " ").toLowerCase(Locale.ROOT);
  }

  private static String target(String address) {
    var line = InvisibleCharacters.line(address, MAX_SOURCE);
    return BARE_TARGET.matcher(line).matches() ? line : "<" + line + ">";
  }

  /// Replaces brackets, which would end the text.
  private static String imageText(String text) {
    var line = InvisibleCharacters.line(text, MAX_DESCRIPTION).replace('[', '(').replace(']', ')');
    return line.isEmpty() ? "[image]" : "[image: " + line + "]";
  }

  /// Keeps definitions that are used, without their titles. Nobody sees the others, except
  /// footnotes, which CommonMark takes for definitions.
  private void definition(LinkReferenceDefinition definition) {
    var label = definition.getLabel();
    if (!usedLabels.contains(label(label))) {
      if (!label.startsWith("^")) {
        cut(start(definition), end(definition));
      }
    } else if (definition.getTitle() != null) {
      edit(
          start(definition),
          end(definition),
          "[" + label + "]: " + target(definition.getDestination()));
    }
  }

  /// Parses without the rules of HTML: an element ends at its own end tag or at that of its parent,
  /// or not at all.
  private void html() {
    // In HTML a slash at the end of a tag has no effect.
    var text = new String(tags).replace("/>", " >");
    var parser =
        Parser.xmlParser()
            .settings(ParseSettings.htmlDefault)
            .setTrackPosition(true)
            .setMaxDepth(MAX_DEPTH);
    Jsoup.parse(text, "", parser).nodeStream().forEach(this::html);
  }

  private void html(org.jsoup.nodes.Node node) {
    switch (node) {
      case Document _ -> {}
      case Element element -> element(element);
      case CDataNode data -> cut(data.sourceRange().startPos(), data.sourceRange().endPos());
      case TextNode _ -> {}
      default -> cut(node.sourceRange().startPos(), node.sourceRange().endPos());
    }
  }

  private void element(Element element) {
    var tag = element.sourceRange();
    var name = element.normalName();
    if (isVisible(element)) {
      if (element.attributesSize() > 0) {
        edit(tag.startPos(), tag.endPos(), visibleTag(element));
      }
    } else if (VOID.contains(name)) {
      cut(tag.startPos(), tag.endPos());
    } else {
      var end = element.endSourceRange();
      // Shown as text, a tag whose element never ends cannot hide anything.
      if (end.isTracked() && !(end.isImplicit() && end.endPos() == tags.length)) {
        cut(tag.startPos(), isTooDeep(end) ? tags.length : end.endPos());
      }
    }
  }

  /// Whether a start tag ended the element, because the limit of depth was reached.
  private boolean isTooDeep(Range end) {
    return end.isImplicit() && tags[end.endPos() + 1] != '/';
  }

  /// Whether the element itself is visible; one of its parents may be hidden.
  static boolean isVisible(Element element) {
    return !HIDDEN_ELEMENTS.contains(element.normalName()) && !isHidden(element);
  }

  private static boolean isHidden(Element element) {
    var style = element.attr("style").toLowerCase(Locale.ROOT).replaceAll("\\s", "");
    return element.attributesSize() >= MAX_ATTRIBUTES
        || element.hasAttr("hidden")
        || (element.normalName().equals("input") && element.attr("type").equalsIgnoreCase("hidden"))
        || HIDING_STYLE.matcher(style).find()
        || WHITE.matcher(element.attr("color")).matches()
        || PIXEL.matcher(element.attr("width")).matches()
        || PIXEL.matcher(element.attr("height")).matches();
  }

  /// The tag without invisible attributes.
  private static String visibleTag(Element element) {
    var name = element.normalName();
    if (name.equals("img")) {
      return imageText(element.attr("alt")) + "(" + target(element.attr("src")) + ")";
    }
    return element.hasAttr("href")
        ? "<" + name + " href=\"" + element.attr("href").replace("\"", "&quot;") + "\">"
        : "<" + name + ">";
  }

  private String edited() {
    var seen = new StringBuilder();
    var from = 0;
    for (var each : edits.entrySet()) {
      if (each.getKey() >= from) {
        seen.append(source, from, each.getKey()).append(each.getValue().replacement());
        from = each.getValue().to();
      }
    }
    return seen.append(source, from, source.length()).toString().strip();
  }
}
