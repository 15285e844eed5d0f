package dev.runnel.surface.jira;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.surface.kit.Json;
import java.net.URI;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Converts a document in the Atlassian Document Format to Markdown.
record AdfToMarkdown(UnaryOperator<String> person) {
  private static final int MAX_DEPTH = 60;
  private static final Pattern TICKS = Pattern.compile("`+");
  private static final Pattern LINE_START =
      Pattern.compile(
          "(?m)^( {0,3})(?=[#>|+=~-]|:-|\\[[^\\]\\n]*+\\]:)(.)"
              + "|^( {0,3}[0-9]{1,9})(?=[.)](?: |$))(.)");
  private static final Pattern SPECIAL_CHARACTERS =
      Pattern.compile(
          "\\\\(?=[!-/:-@\\[-`{-~])|`|\\*|(?<![\\p{L}\\p{N}])_|_(?![\\p{L}\\p{N}])"
              + "|<(?=[A-Za-z/!?])|~(?=~)|(?<=~)~|\\](?=\\()|&(?=#?[A-Za-z0-9]{1,32};)");

  private static final Pattern BRACKET = Pattern.compile("(?<!\\\\)[\\[\\]]");

  String of(JsonNode document) {
    return blocks(document.path("content"), 0).strip();
  }

  private String blocks(JsonNode content, int depth) {
    var all = new ArrayList<String>();
    var other = false;
    var before = "";
    for (var node : content) {
      var type = Adf.type(node);
      other = type.equals(before) && !other;
      before = type;
      var text = block(node, depth, other);
      if (!text.isBlank()) {
        all.add(text);
      }
    }
    return String.join("\n\n", all);
  }

  /// @param other whether to separate it from a list before it
  private String block(JsonNode node, int depth, boolean other) {
    var content = node.path("content");
    if (depth > MAX_DEPTH) {
      return escaped(text(node, 0));
    }
    return switch (Adf.type(node)) {
      case "paragraph" -> paragraph(content);
      case "heading" ->
          "#".repeat(Math.clamp(node.path("attrs").path("level").asInt(1), 1, 6))
              + " "
              + oneLine(content);
      case "rule" -> "---";
      case "codeBlock" -> code(node);
      case "blockquote" -> quoted(blocks(content, depth + 1));
      case "panel" -> {
        var kind = Json.text(node.path("attrs"), "panelType").orElse("note");
        yield quoted("**" + capital(kind) + "**\n\n" + blocks(content, depth + 1));
      }
      case "expand", "nestedExpand" ->
          Json.text(node.path("attrs"), "title")
                  .map(title -> "**" + escaped(title.strip()) + "**\n\n")
                  .orElse("")
              + blocks(content, depth + 1);
      case "bulletList", "decisionList" -> list(content, other ? "* " : "- ", -1, depth);
      case "taskList" -> list(content, "- ", -1, depth);
      case "orderedList" ->
          list(
              content,
              other ? ") " : ". ",
              Math.max(0, node.path("attrs").path("order").asInt(1)),
              depth);
      case "table" -> table(content, depth);
      case "mediaSingle", "mediaGroup" ->
          Json.elements(content)
              .map(each -> block(each, depth + 1, false))
              .collect(Collectors.joining("\n"));
      default -> isInline(node) ? inline(List.of(node)) : blocks(content, depth + 1);
    };
  }

  private static boolean isInline(JsonNode node) {
    return !node.path("content").isArray();
  }

  private static String capital(String word) {
    return word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
  }

  private String paragraph(JsonNode content) {
    var text = inline(Json.elements(content).toList());
    var lines = text.lines().map(String::strip).filter(line -> !line.isEmpty());
    return LINE_START.matcher(lines.collect(Collectors.joining("\n"))).replaceAll("$1$3\\\\$2$4");
  }

  private String oneLine(JsonNode content) {
    return inline(Json.elements(content).toList()).strip().replace("\n", "<br>");
  }

  private static String code(JsonNode node) {
    var code = new StringBuilder();
    Json.elements(node.path("content")).forEach(each -> code.append(each.path("text").asText()));
    var fence = "`".repeat(Math.max(3, longestRun(code) + 1));
    var language = Json.text(node.path("attrs"), "language").orElse("");
    return fence
        + (language.matches("[A-Za-z0-9_+#.-]{1,40}") ? language : "")
        + "\n"
        + code
        + (code.isEmpty() ? "" : "\n")
        + fence;
  }

  private static int longestRun(CharSequence text) {
    return TICKS.matcher(text).results().mapToInt(run -> run.group().length()).max().orElse(0);
  }

  private static String quoted(String text) {
    return text.lines()
        .map(line -> line.isEmpty() ? ">" : "> " + line)
        .collect(Collectors.joining("\n"));
  }

  /// @param number of the first item; negative for a bullet list
  private String list(JsonNode content, String mark, int number, int depth) {
    var items = new ArrayList<String>();
    for (var item : content) {
      var lead = number < 0 ? mark : (number + items.size()) + mark;
      if (Adf.type(item).equals("taskItem")) {
        var isDone = Json.text(item.path("attrs"), "state").equals(Optional.of("DONE"));
        lead += isDone ? "[x] " : "[ ] ";
      }
      items.add(item(item, lead, depth));
    }
    return String.join("\n", items);
  }

  private String item(JsonNode item, String lead, int depth) {
    var text =
        Json.elements(item.path("content")).anyMatch(each -> !isBlock(each))
            ? paragraph(item.path("content"))
            : itemBlocks(item.path("content"), depth + 1);
    var indent = " ".repeat(lead.startsWith("- [") ? 2 : lead.length());
    return lead
        + text.lines()
            .map(line -> line.isEmpty() ? line : indent + line)
            .collect(Collectors.joining("\n"))
            .stripLeading();
  }

  private String itemBlocks(JsonNode content, int depth) {
    var first = content.path(0);
    // A list directly after the marker needs a line of its own.
    return (Adf.type(first).equals("paragraph") && first.path("content").isEmpty() ? "\n" : "")
        + blocks(content, depth);
  }

  private static boolean isBlock(JsonNode node) {
    return switch (Adf.type(node)) {
      case "text", "hardBreak", "mention", "emoji", "date", "status", "inlineCard" -> false;
      default -> true;
    };
  }

  private String table(JsonNode rows, int depth) {
    var lines = new ArrayList<String>();
    for (var row : rows) {
      var cells =
          Json.elements(row.path("content"))
              .map(cell -> cell(cell, depth + 1))
              .collect(Collectors.joining(" | "));
      lines.add("| " + cells + " |");
      if (lines.size() == 1) {
        lines.add("|" + " --- |".repeat(Math.max(1, row.path("content").size())));
      }
    }
    return String.join("\n", lines);
  }

  private String cell(JsonNode cell, int depth) {
    var only = cell.path("content").size() == 1 ? cell.path("content").path(0) : cell;
    var text =
        Adf.type(only).equals("paragraph")
            ? inline(Json.elements(only.path("content")).toList())
            : blocks(cell.path("content"), depth);
    return text.strip().replace("|", "\\|").replaceAll("\n+", "<br>");
  }

  private String inline(List<JsonNode> nodes) {
    return nodes.stream().map(this::inlineText).collect(Collectors.joining());
  }

  private String inlineText(JsonNode node) {
    var attrs = node.path("attrs");
    return switch (Adf.type(node)) {
      case "text" -> marked(node);
      case "hardBreak" -> "\n";
      case "mention" ->
          Json.text(attrs, "id")
              .map(person)
              .filter(name -> name.startsWith("@"))
              .or(() -> Json.text(attrs, "text").map(AdfToMarkdown::escaped))
              .map(name -> name.startsWith("@") ? name : "@" + name)
              .orElse("@somebody");
      case "emoji" -> Json.text(attrs, "text").or(() -> Json.text(attrs, "shortName")).orElse("");
      case "date" -> date(attrs);
      case "status" -> "[" + escaped(Json.text(attrs, "text").orElse("")) + "]";
      case "inlineCard", "blockCard", "embedCard" ->
          Json.link(attrs, "url").map(url -> "<" + url + ">").orElse("");
      case "media", "mediaInline" ->
          "[media: "
              + escaped(
                  Json.text(attrs, "alt")
                      .or(() -> Json.text(attrs, "__fileName"))
                      .or(() -> Json.text(attrs, "id"))
                      .orElse("a file"))
              + "]";
      default -> escaped(text(node, 0));
    };
  }

  private static String date(JsonNode attrs) {
    var text = attrs.path("timestamp").asText();
    return text.matches("[0-9]{1,14}")
        ? Instant.ofEpochMilli(Long.parseLong(text)).atZone(ZoneOffset.UTC).toLocalDate().toString()
        : "";
  }

  /// All text in an unknown node.
  private static String text(JsonNode node, int depth) {
    var own = Json.text(node, "text").or(() -> Json.text(node.path("attrs"), "text")).orElse("");
    return depth > MAX_DEPTH
        ? own
        : own
            + Json.elements(node.path("content"))
                .map(each -> text(each, depth + 1))
                .collect(Collectors.joining());
  }

  private static String marked(JsonNode node) {
    var text = node.path("text").asText();
    var marks = Json.elements(node.path("marks")).map(Adf::type).toList();
    var core = text.strip();
    if (core.isEmpty()) {
      return text;
    }
    var link =
        Json.elements(node.path("marks"))
            .filter(mark -> Adf.type(mark).equals("link"))
            .flatMap(mark -> Json.link(mark.path("attrs"), "href").stream())
            .map(URI::toString)
            .findFirst();
    String formatted;
    if (marks.contains("code")) {
      formatted = codeSpan(core);
    } else if (link.filter(core::equals).isPresent()) {
      formatted = "<" + core + ">";
    } else {
      formatted =
          link.isPresent() ? BRACKET.matcher(escaped(core)).replaceAll("\\\\$0") : escaped(core);
    }
    formatted = marks.contains("strike") ? "~~" + formatted + "~~" : formatted;
    formatted = marks.contains("em") ? "_" + formatted + "_" : formatted;
    formatted = marks.contains("strong") ? "**" + formatted + "**" : formatted;
    if (link.isPresent() && !link.get().equals(core)) {
      formatted = "[" + formatted + "](<" + link.get() + ">)";
    }
    var lead = text.substring(0, text.indexOf(core));
    return lead + formatted + text.substring(lead.length() + core.length());
  }

  private static String codeSpan(String code) {
    var ticks = "`".repeat(longestRun(code) + 1);
    var pad = code.startsWith("`") || code.endsWith("`") ? " " : "";
    return ticks + pad + code.replace('\n', ' ') + pad + ticks;
  }

  private static String escaped(String text) {
    return SPECIAL_CHARACTERS.matcher(text).replaceAll("\\\\$0");
  }
}
