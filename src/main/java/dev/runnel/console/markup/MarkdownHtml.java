package dev.runnel.console.markup;

import dev.runnel.text.LinkLabel;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.commonmark.Extension;
import org.commonmark.ext.autolink.AutolinkExtension;
import org.commonmark.ext.gfm.strikethrough.StrikethroughExtension;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Paragraph;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.NodeRenderer;
import org.commonmark.renderer.html.HtmlNodeRendererContext;
import org.commonmark.renderer.html.HtmlRenderer;

/// Renders GitHub's Markdown as HTML for a page. HTML of the author is shown as text, only web
/// links are links, and images become links: the result loads and executes nothing.
public final class MarkdownHtml {
  private static final List<Extension> EXTENSIONS =
      List.of(
          TablesExtension.builder().maxCells(20_000).build(),
          StrikethroughExtension.create(),
          AutolinkExtension.create());
  // A page has one heading of level 1, its title.
  private static final int FIRST_LEVEL = 3;
  private static final int LAST_LEVEL = 6;
  private static final Parser PARSER =
      Parser.builder().extensions(EXTENSIONS).maxOpenBlockParsers(32).maxInlineNesting(20).build();

  /// For each link, the library looks at all brackets that are open before it.
  private static final int MAX_BRACKETS = 2_000;

  private static final HtmlRenderer RENDERER =
      HtmlRenderer.builder()
          .extensions(EXTENSIONS)
          .escapeHtml(true)
          .softbreak("<br>\n")
          .nodeRendererFactory(Links::new)
          .attributeProviderFactory(_ -> MarkdownHtml::attributes)
          .build();

  private MarkdownHtml() {}

  /// @return HTML without scripts, styles and images
  public static String of(String markdown) {
    if (markdown.chars().filter(each -> each == '[').count() > MAX_BRACKETS) {
      return unformatted(markdown);
    }
    try {
      return RENDERER.render(PARSER.parse(markdown));
    } catch (IllegalArgumentException _) { // a table with too many cells
      return unformatted(markdown);
    }
  }

  private static String unformatted(String markdown) {
    var text = new Paragraph();
    text.appendChild(new Text(markdown));
    return RENDERER.render(text);
  }

  /// Whether the URL is one of the web.
  static boolean isWeb(String url) {
    var start = url.strip().toLowerCase(Locale.ROOT);
    return start.startsWith("https://") || start.startsWith("http://");
  }

  private static void attributes(Node node, String tag, Map<String, String> attributes) {
    // They may scroll sideways, also by keyboard.
    if (node instanceof TableBlock || tag.equals("pre")) {
      attributes.put("tabindex", "0");
    }
  }

  /// Renders links, images and headings.
  private record Links(HtmlNodeRendererContext context) implements NodeRenderer {
    @Override
    public Set<Class<? extends Node>> getNodeTypes() {
      return Set.of(Link.class, Image.class, Heading.class);
    }

    @Override
    public void render(Node node) {
      switch (node) {
        case Link link -> link(link.getDestination(), node);
        case Image image -> link(image.getDestination(), node);
        case Heading heading -> heading(heading);
        default -> throw new IllegalArgumentException("Not a link: " + node);
      }
    }

    private void link(String to, Node node) {
      var html = context.getWriter();
      if (!isWeb(to)) {
        children(node);
        return;
      }
      html.tag(
          "a",
          Map.of("href", context.encodeUrl(to), "target", "_blank", "rel", "noopener nofollow"));
      if (node.getFirstChild() == null || misleads(node, to)) {
        html.text(to);
      } else {
        children(node);
      }
      html.tag("/a");
    }

    private static boolean misleads(Node node, String to) {
      var label = new StringBuilder();
      node.accept(
          new AbstractVisitor() {
            @Override
            public void visit(Text text) {
              label.append(text.getLiteral());
            }

            @Override
            public void visit(Code code) {
              label.append(code.getLiteral());
            }
          });
      return LinkLabel.misleads(label.toString(), to);
    }

    private void heading(Heading heading) {
      var html = context.getWriter();
      var tag = "h" + Math.min(LAST_LEVEL, heading.getLevel() + FIRST_LEVEL - 1);
      html.line();
      html.tag(tag);
      children(heading);
      html.tag("/" + tag);
      html.line();
    }

    private void children(Node node) {
      for (var child = node.getFirstChild(); child != null; child = child.getNext()) {
        context.render(child);
      }
    }
  }
}
