package dev.runnel.surface.kit;

import dev.runnel.core.prompt.InvisibleCharacters;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Reduces a text, which a tracker shows as Markdown with HTML, to what people see. Removes
/// comments, hidden elements, attributes and titles, and marks an image's alternative text as such.
/// Code is kept, because people see it.
final class HiddenMarkupFilter {
  private static final int MAX_SOURCE = 100_000;
  private static final int MAX_DESCRIPTION = 100;

  // Code is replaced by numbered placeholders meanwhile. Their delimiters are private-use
  // characters, which the input no longer contains.
  private static final char ASIDE = '\uE000';
  private static final char ASIDE_END = '\uE001';
  private static final Pattern KEPT_ASIDE = Pattern.compile("\uE000(?<number>\\d+)\uE001");
  private static final Pattern CODE_SPAN =
      Pattern.compile("(?<![`\\\\])(?<ticks>`+)(?!`)[^\n]{0,2000}?(?<!`)\\k<ticks>(?!`)");

  private static final Pattern DECLARATION =
      Pattern.compile(
          "<\\?.{0,2000}?\\?>|<!\\[CDATA\\[.{0,2000}?]]>|<![A-Za-z][^>]{0,2000}>", Pattern.DOTALL);
  private static final String ATTRIBUTE =
      "\\s+[A-Za-z_:][A-Za-z0-9_.:-]*+(?:\\s*+=\\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\\s\"'=<>`]++))?+";
  private static final Pattern TAG =
      Pattern.compile(
          "<(?<end>/)?(?<name>[A-Za-z][A-Za-z0-9-]*+)(?<attributes>(?:%s)*+)\\s*+/?>"
              .formatted(ATTRIBUTE));
  private static final Pattern NAME_AND_VALUE =
      Pattern.compile(
          "\\s+(?<name>[A-Za-z_:][A-Za-z0-9_.:-]*+)"
              + "(?:\\s*+=\\s*+(?<value>\"[^\"]*+\"|'[^']*+'|[^\\s\"'=<>`]++))?+");
  private static final Pattern NEVER_SHOWN =
      Pattern.compile("script|style|template|head|title|noembed|noframes");
  private static final Pattern UNSEEN_STYLE =
      Pattern.compile(
          "display:none|visibility:(?:hidden|collapse)|opacity:0(?:\\.0+)?(?![.\\d])"
              + "|font-size:(?:0|0?\\.\\d+|1px)(?![\\d.])|(?<!-)color:(?:transparent|white"
              + "|#fff(?:f{3})?(?![0-9a-f])|rgba?\\(255,255,255)"
              + "|(?:width|height):[01](?:px)?(?![\\d.%])|text-indent:-|clip(?:-path)?:"
              + "|(?:left|top):-\\d{3}");
  private static final Pattern WHITE = Pattern.compile("white|#fff(?:f{3})?");
  private static final Pattern PIXEL = Pattern.compile("[01](?:px)?");

  private static final String TITLE = "(?:\"[^\"]{0,2000}+\"|'[^']{0,2000}+'|\\([^()]{0,2000}+\\))";
  private static final Pattern LINK_TITLE =
      Pattern.compile(
          "\\]\\([ \\t]*+(?<to><[^>\\n]{0,2000}+>|[^\\s<][^\\s]{0,2000}?)\\s++"
              + TITLE
              + "\\s*+\\)");
  private static final Pattern PICTURE = Pattern.compile("!\\[(?<words>[^\\]]{0,4000}+)\\]");
  private static final Pattern REFERENCE =
      Pattern.compile(
          "^ {0,3}\\[(?<name>(?!\\^)[^\\]\\n]{1,1000}+)\\]:[ \\t]*+\\n?[ \\t]*+"
              + "(?<to><[^>\\n]{0,2000}+>|[^\\s<]\\S{0,2000}+)"
              + "(?:(?:[ \\t]++\\n?|\\n)[ \\t]*+"
              + TITLE
              + ")?+[ \\t]*+$",
          Pattern.MULTILINE);

  private final List<String> code = new ArrayList<>();

  private HiddenMarkupFilter() {}

  static String text(String source) {
    return new HiddenMarkupFilter().read(Markdown.seen(Markdown.head(source, MAX_SOURCE)));
  }

  private String read(List<Markdown.Line> lines) {
    var whole =
        lines.stream()
            .map(line -> line.kind() == Markdown.Kind.CODE ? aside(line.text()) : line.text())
            .collect(Collectors.joining("\n"));
    var words = CODE_SPAN.matcher(whole).replaceAll(span -> aside(span.group()));
    var elements = elements(DECLARATION.matcher(words).replaceAll(""));
    var links = LINK_TITLE.matcher(references(elements)).replaceAll("](${to})");
    var pictures =
        PICTURE
            .matcher(links)
            .replaceAll(picture -> Matcher.quoteReplacement(described(picture.group("words"))));
    return KEPT_ASIDE
        .matcher(pictures)
        .replaceAll(
            each -> Matcher.quoteReplacement(code.get(Integer.parseInt(each.group("number")))))
        .strip();
  }

  private String aside(String text) {
    code.add(text);
    return "" + ASIDE + (code.size() - 1) + ASIDE_END;
  }

  private static String described(String words) {
    var line = InvisibleCharacters.line(words, MAX_DESCRIPTION);
    return line.isEmpty() ? "[image]" : "[image: " + line + "]";
  }

  /// @param from the start index
  private record Tag(int from, int to, boolean isEnd, String name, String attributes) {
    Optional<String> value(String attribute) {
      var each = NAME_AND_VALUE.matcher(attributes);
      while (each.find()) {
        if (each.group("name").equalsIgnoreCase(attribute)) {
          var value = each.group("value");
          return Optional.of(value == null ? "" : value.replaceAll("^[\"']|[\"']$", ""));
        }
      }
      return Optional.empty();
    }

    boolean isUnseen() {
      return NEVER_SHOWN.matcher(name).matches() || isHidden();
    }

    boolean isHidden() {
      var style = value("style").orElse("").toLowerCase(Locale.ROOT).replaceAll("\\s", "");
      return value("hidden").isPresent()
          || (name.equals("input") && value("type").filter("hidden"::equalsIgnoreCase).isPresent())
          || UNSEEN_STYLE.matcher(style).find()
          || value("color").filter(each -> WHITE.matcher(lower(each)).matches()).isPresent()
          || value("width").filter(each -> PIXEL.matcher(lower(each)).matches()).isPresent()
          || value("height").filter(each -> PIXEL.matcher(lower(each)).matches()).isPresent();
    }

    private static String lower(String text) {
      return text.strip().toLowerCase(Locale.ROOT);
    }

    boolean isVoid() {
      return name.equals("img") || name.equals("input") || name.equals("br") || name.equals("hr");
    }

    /// The tag without attributes that readers do not see.
    String shown(String source) {
      if (isEnd || attributes.isBlank()) {
        return source.substring(from, to);
      }
      if (name.equals("img")) {
        return "![%s](%s)".formatted(value("alt").orElse(""), value("src").orElse(""));
      }
      return "<" + name + value("href").map(to -> " href=\"" + to + "\"").orElse("") + ">";
    }
  }

  private static List<Tag> tags(String text) {
    var tags = new ArrayList<Tag>();
    var matcher = TAG.matcher(text);
    while (matcher.find()) {
      tags.add(
          new Tag(
              matcher.start(),
              matcher.end(),
              matcher.group("end") != null,
              matcher.group("name").toLowerCase(Locale.ROOT),
              matcher.group("attributes")));
    }
    return tags;
  }

  private static String elements(String text) {
    var tags = tags(text);
    var seen = new StringBuilder();
    var from = 0;
    for (var at = 0; at < tags.size(); at++) {
      var tag = tags.get(at);
      seen.append(text, from, tag.from());
      from = tag.to();
      if (tag.isEnd() || !tag.isUnseen()) {
        seen.append(tag.shown(text));
      } else if (!tag.isVoid()) {
        var end = end(tags, at);
        if (end < 0) {
          // The element never ends. Shown as text, the tag cannot hide anything.
          seen.append(text, tag.from(), tag.to());
        } else {
          at = end;
          from = tags.get(end).to();
        }
      }
    }
    return seen.append(text, from, text.length()).toString();
  }

  /// The index of the end tag of the element that begins there, or -1.
  private static int end(List<Tag> tags, int begin) {
    var depth = 0;
    for (var at = begin; at < tags.size(); at++) {
      if (tags.get(at).name().equals(tags.get(begin).name())) {
        depth += tags.get(at).isEnd() ? -1 : 1;
        if (depth == 0) {
          return at;
        }
      }
    }
    return -1;
  }

  /// Keeps link reference definitions that are used, without their titles, and removes unused ones,
  /// which nobody sees.
  private static String references(String text) {
    var lower = text.toLowerCase(Locale.ROOT);
    return REFERENCE
        .matcher(text)
        .replaceAll(
            each -> {
              var name = "[" + each.group("name").toLowerCase(Locale.ROOT) + "]";
              var isNamed = lower.indexOf(name) != lower.lastIndexOf(name);
              return isNamed
                  ? Matcher.quoteReplacement("[" + each.group("name") + "]: " + each.group("to"))
                  : "";
            });
  }
}
