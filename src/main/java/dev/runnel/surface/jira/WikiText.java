package dev.runnel.surface.jira;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.surface.kit.Json;
import java.util.ArrayList;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Renders an Atlassian Document Format document as wiki markup, in which Data Center stores rich
/// text. Text from others cannot act as markup. Pure.
final class WikiText {
  private static final int MAX_DEPTH = 60;
  private static final char ZERO_WIDTH_SPACE = '\u200B';
  // Data Center shows an error for an unknown language.
  private static final Set<String> LANGUAGES =
      Set.of(
          """
          actionscript ada applescript bash c c# c++ cpp css erlang go groovy haskell html java
          javascript js json lua nyan objc perl php python r ruby scala sh sql swift xml yaml
          """
              .split("\\s+"));
  private static final Pattern SPECIAL_CHARACTERS =
      Pattern.compile(
          "[{\\[\\]!|]|(?<![\\p{L}\\p{N}])[*_+^~?-]|[*_+^~?-](?![\\p{L}\\p{N}])|[\\\\&]");
  private static final Pattern LINE_START =
      Pattern.compile("(?m)^([^\\S\\r\\n]*+)(h[1-6]\\.|bq\\.|#)");

  private WikiText() {}

  static String of(JsonNode document) {
    return blocks(document.path("content"), "", 0).strip();
  }

  private static String blocks(JsonNode content, String marks, int depth) {
    return Json.elements(content)
        .map(node -> block(node, marks, depth))
        .filter(text -> !text.isBlank())
        .collect(Collectors.joining("\n\n"));
  }

  /// @param marks the markers of the enclosing lists: `*#`
  private static String block(JsonNode node, String marks, int depth) {
    var content = node.path("content");
    if (depth > MAX_DEPTH) {
      return "";
    }
    return switch (Adf.type(node)) {
      case "paragraph" -> escapedLineStarts(inline(content));
      case "heading" -> "h" + node.path("attrs").path("level").asInt(1) + ". " + line(content);
      case "rule" -> "----";
      case "codeBlock" -> code(node);
      case "blockquote" -> "{quote}\n" + blocks(content, "", depth + 1) + "\n{quote}";
      case "bulletList" -> items(content, marks + "*", depth);
      case "orderedList" -> items(content, marks + "#", depth);
      case "table" ->
          Json.elements(content).map(row -> row(row, depth)).collect(Collectors.joining("\n"));
      default -> blocks(content, marks, depth + 1);
    };
  }

  private static String items(JsonNode content, String marks, int depth) {
    var lines = new ArrayList<String>();
    for (var item : content) {
      var lead = marks + " ";
      var parts = new ArrayList<String>();
      for (var block : item.path("content")) {
        if (Adf.type(block).endsWith("List")) {
          lines.add(lead + String.join("\n", parts));
          lead = "";
          parts.clear();
          lines.add(block(block, marks, depth + 1));
        } else {
          parts.add(block(block, marks, depth + 1));
        }
      }
      if (!parts.isEmpty()) {
        lines.add(lead + String.join("\n", parts));
      }
    }
    return lines.stream().filter(line -> !line.isEmpty()).collect(Collectors.joining("\n"));
  }

  private static String row(JsonNode row, int depth) {
    var cells = new StringBuilder();
    var mark = "|";
    for (var cell : row.path("content")) {
      mark = Adf.type(cell).equals("tableHeader") ? "||" : "|";
      var text = blocks(cell.path("content"), "", depth + 1).replaceAll("\n+", " ").strip();
      cells.append(mark).append(text.isEmpty() ? " " : text);
    }
    return cells.append(mark).toString();
  }

  /// Breaks up the end tag, so that the text cannot end the code block.
  private static String code(JsonNode node) {
    var text = Json.elements(node.path("content")).map(each -> each.path("text").asText());
    var code = text.collect(Collectors.joining()).replace("{code", "{" + ZERO_WIDTH_SPACE + "code");
    var language =
        Json.text(node.path("attrs"), "language").filter(LANGUAGES::contains).map(it -> ":" + it);
    return "{code" + language.orElse("") + "}\n" + code + "\n{code}";
  }

  private static String line(JsonNode content) {
    return inline(content).replace("\n", " ");
  }

  private static String inline(JsonNode content) {
    return Json.elements(content).map(WikiText::inlineText).collect(Collectors.joining());
  }

  private static String inlineText(JsonNode node) {
    var attrs = node.path("attrs");
    return switch (Adf.type(node)) {
      case "text" -> marked(node);
      case "hardBreak" -> "\n";
      case "mention" -> "[~" + Json.text(attrs, "id").orElse("") + "]";
      default -> "";
    };
  }

  private static String marked(JsonNode node) {
    var text = node.path("text").asText();
    var core = text.strip();
    if (core.isEmpty()) {
      return text;
    }
    var marks = Json.elements(node.path("marks")).toList();
    var types = marks.stream().map(Adf::type).toList();
    var href =
        marks.stream().flatMap(mark -> Json.text(mark.path("attrs"), "href").stream()).findFirst();
    var formatted = href.filter(core::equals).isPresent() ? "" : escaped(core);
    if (!formatted.isEmpty()) {
      formatted = types.contains("code") ? "{{" + formatted + "}}" : formatted;
      formatted = types.contains("strike") ? "-" + formatted + "-" : formatted;
      formatted = types.contains("em") ? "_" + formatted + "_" : formatted;
      formatted = types.contains("strong") ? "*" + formatted + "*" : formatted;
    }
    if (href.isPresent()) {
      formatted = "[" + formatted + (formatted.isEmpty() ? "" : "|") + address(href.get()) + "]";
    }
    var lead = text.substring(0, text.indexOf(core));
    return lead + formatted + text.substring(lead.length() + core.length());
  }

  private static String address(String url) {
    return url.replace("|", "%7C")
        .replace("[", "%5B")
        .replace("]", "%5D")
        .replace("{", "%7B")
        .replace("}", "%7D")
        .replace(" ", "%20");
  }

  /// Two backslashes would break the line.
  private static String escaped(String text) {
    return SPECIAL_CHARACTERS
        .matcher(text)
        .replaceAll(
            special ->
                switch (special.group()) {
                  case "\\" -> "&#92;";
                  case "&" -> "&amp;";
                  default -> "\\\\" + Matcher.quoteReplacement(special.group());
                });
  }

  private static String escapedLineStarts(String paragraph) {
    return LINE_START.matcher(paragraph).replaceAll("$1" + ZERO_WIDTH_SPACE + "$2");
  }
}
