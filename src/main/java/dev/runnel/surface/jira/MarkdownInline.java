package dev.runnel.surface.jira;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Converts the text of a Markdown paragraph, with its styles and links, to inline nodes of the
/// Atlassian Document Format.
final class MarkdownInline {
  private static final int DEEPEST = 8;
  private static final int MAX_LINK = 4_000;
  private static final String PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
  private static final Pattern ADDRESS = Pattern.compile("https?://[^\\s<>()\\[\\]\"'`|*\\\\]+");
  private static final Pattern ANGLED = Pattern.compile("<(?<url>(?:https?://|mailto:)[^\\s<>]+)>");
  private static final Pattern TAG = Pattern.compile("<(?<name>br|/?sub|/?sup)\\s*/?>");
  private static final Pattern TARGET =
      Pattern.compile(
          "\\((?:<(?<angled>[^<>\\n]*)>|(?<bare>(?:[^\\s()<>]++|\\([^\\s()]*\\))*))"
              + "(?:\\s+\"[^\"\\n]*\")?\\)");
  private static final Pattern LINK = Pattern.compile("(?i)(?:https?://|mailto:)\\S+");

  private final Predicate<String> mayPing;

  MarkdownInline(Predicate<String> mayPing) {
    this.mayPing = mayPing;
  }

  enum Mark {
    STRONG("strong"),
    EM("em"),
    STRIKE("strike");

    private final String type;

    Mark(String type) {
      this.type = type;
    }
  }

  private record Style(Set<Mark> marks, Optional<String> link) {
    Style with(Mark mark) {
      var more = EnumSet.of(mark);
      more.addAll(marks);
      return new Style(more, link);
    }
  }

  List<ObjectNode> of(String text) {
    var out = new Out();
    new Reader(text, new Style(Set.of(), Optional.empty()), 0, out).read();
    return out.nodes();
  }

  /// Collects nodes, and merges adjacent text of the same style.
  private static final class Out {
    private final List<ObjectNode> nodes = new ArrayList<>();

    void text(String text, Style style, boolean isCode) {
      if (text.isEmpty()) {
        return;
      }
      var node = Adf.node("text").put("text", text);
      var marks = node.putArray("marks");
      if (style.link().isPresent()) {
        var link = Adf.node("link");
        link.putObject("attrs").put("href", style.link().get());
        marks.add(link);
      }
      if (isCode) {
        marks.add(Adf.node("code"));
      } else {
        EnumSet.allOf(Mark.class).stream()
            .filter(style.marks()::contains)
            .forEach(mark -> marks.add(Adf.node(mark.type)));
      }
      if (marks.isEmpty()) {
        node.remove("marks");
      }
      var last = nodes.isEmpty() ? null : nodes.getLast();
      if (last != null
          && Adf.type(last).equals("text")
          && last.path("marks").equals(node.path("marks"))) {
        last.put("text", last.path("text").asText() + text);
      } else {
        nodes.add(node);
      }
    }

    void hardBreak() {
      nodes.add(Adf.node("hardBreak"));
    }

    void mention(String id, String name) {
      var node = Adf.node("mention");
      node.putObject("attrs").put("id", id).put("text", name);
      nodes.add(node);
    }

    List<ObjectNode> nodes() {
      return nodes;
    }
  }

  private final class Reader {
    private final String text;
    private final Style style;
    private final int depth;
    private final Out out;
    private final StringBuilder plain = new StringBuilder();
    // Delimiters that do not occur in the rest, so that they are not searched for again.
    private final Set<String> missing = new HashSet<>();
    private @Nullable Map<Integer, Integer> brackets;
    private int at;

    Reader(String text, Style style, int depth, Out out) {
      this.text = text;
      this.style = style;
      this.depth = depth;
      this.out = out;
    }

    void read() {
      while (at < text.length()) {
        if (!special()) {
          plain.append(text.charAt(at++));
        }
      }
      flush();
    }

    private void flush() {
      out.text(plain.toString(), style, false);
      plain.setLength(0);
    }

    /// @return false when the next character is plain text
    private boolean special() {
      return switch (text.charAt(at)) {
        case '\n' -> lineBreak(1);
        case '\\' -> escape();
        case '`' -> code();
        case '<' -> tag();
        case '!' -> at + 1 < text.length() && text.charAt(at + 1) == '[' && link(at + 1);
        case '[' -> link(at);
        case '*', '_' -> emphasis();
        case '~' -> text.startsWith("~~", at) && marked("~~", Mark.STRIKE);
        case 'h' -> address();
        default -> false;
      };
    }

    private boolean lineBreak(int length) {
      var end = plain.length();
      while (end > 0 && plain.charAt(end - 1) == ' ') {
        end--;
      }
      plain.setLength(end);
      flush();
      out.hardBreak();
      at += length;
      return true;
    }

    private boolean escape() {
      if (at + 1 >= text.length()) {
        return false;
      }
      var next = text.charAt(at + 1);
      if (next == '\n') {
        return lineBreak(2);
      }
      if (PUNCTUATION.indexOf(next) < 0) {
        return false;
      }
      plain.append(next);
      at += 2;
      return true;
    }

    private int run(int from, char sign) {
      var end = from;
      while (end < text.length() && text.charAt(end) == sign) {
        end++;
      }
      return end - from;
    }

    /// The index at which a code span that starts there is closed, or -1.
    private int closingTicks(int from, int length) {
      var ticks = "`".repeat(length);
      if (missing.contains(ticks)) {
        return -1;
      }
      for (var end = text.indexOf(ticks, from); end >= 0; end = text.indexOf(ticks, end)) {
        var found = run(end, '`');
        if (found == length) {
          return end;
        }
        end += found;
      }
      missing.add(ticks);
      return -1;
    }

    private boolean code() {
      var length = run(at, '`');
      var end = closingTicks(at + length, length);
      if (end < 0) {
        plain.repeat('`', length);
        at += length;
        return true;
      }
      var inside = text.substring(at + length, end).replace('\n', ' ');
      if (inside.startsWith(" ") && inside.endsWith(" ") && !inside.isBlank()) {
        inside = inside.substring(1, inside.length() - 1);
      }
      flush();
      out.text(inside, style, true);
      at = end + length;
      return true;
    }

    private Matcher here(Pattern pattern, int from) {
      return pattern.matcher(text).region(from, Math.min(text.length(), from + 2 * MAX_LINK));
    }

    private boolean tag() {
      var tag = here(TAG, at);
      if (tag.lookingAt()) {
        if ("br".equals(tag.group("name"))) {
          return lineBreak(tag.end() - at);
        }
        at = tag.end();
        return true;
      }
      var angled = here(ANGLED, at);
      if (!angled.lookingAt()) {
        return false;
      }
      linked(angled.group("url"), angled.group("url"));
      at = angled.end();
      return true;
    }

    private boolean address() {
      if (!text.startsWith("http", at) || (at > 0 && isWord(text.charAt(at - 1)))) {
        return false;
      }
      var address = here(ADDRESS, at);
      if (!address.lookingAt()) {
        return false;
      }
      var url = address.group().replaceAll("[.,;:!?_~]+$", "");
      if (url.endsWith("/") && url.length() <= "https://".length()) {
        return false;
      }
      linked(url, url);
      at += url.length();
      return true;
    }

    private void linked(String words, String url) {
      flush();
      var isShort = style.link().isEmpty() && url.length() <= MAX_LINK;
      out.text(words, isShort ? new Style(style.marks(), Optional.of(url)) : style, false);
    }

    /// The index at which the bracket that opens there is closed, or -1.
    private int closingBracket(int open) {
      if (brackets == null) {
        brackets = pairs();
      }
      return brackets.getOrDefault(open, -1);
    }

    private Map<Integer, Integer> pairs() {
      var pairs = new HashMap<Integer, Integer>();
      var opened = new ArrayDeque<Integer>();
      for (var here = 0; here < text.length(); here++) {
        var sign = text.charAt(here);
        if (sign == '\\') {
          here++;
        } else if (sign == '`') {
          var length = run(here, '`');
          var closing = closingTicks(here + length, length);
          here = (closing < 0 ? here : closing) + length - 1;
        } else if (sign == '[') {
          opened.push(here);
        } else if (sign == ']' && !opened.isEmpty()) {
          pairs.put(opened.pop(), here);
        }
      }
      return pairs;
    }

    private boolean link(int open) {
      if (depth >= DEEPEST || style.link().isPresent()) {
        return false;
      }
      var close = closingBracket(open);
      if (close < 0) {
        return false;
      }
      var target = here(TARGET, close + 1);
      if (!target.lookingAt()) {
        return false;
      }
      var angled = target.group("angled");
      var bare = target.group("bare");
      var url = angled != null ? angled : bare == null ? "" : bare;
      var words = text.substring(open + 1, close);
      if (url.startsWith(Adf.PERSON)) {
        person(url.substring(Adf.PERSON.length()), words);
      } else if (LINK.matcher(url).matches() && url.length() <= MAX_LINK) {
        flush();
        var named = words.isBlank() ? url : words;
        new Reader(named, new Style(style.marks(), Optional.of(url)), depth + 1, out).read();
      } else {
        return false;
      }
      at = target.end();
      return true;
    }

    private void person(String id, String words) {
      flush();
      if (mayPing.test(id)) {
        var name = new Out();
        new Reader(words, new Style(Set.of(), Optional.empty()), DEEPEST, name).read();
        var called = new StringBuilder();
        name.nodes().forEach(node -> called.append(node.path("text").asText()));
        out.mention(id, called.toString());
      } else {
        new Reader(words, style, depth + 1, out).read();
      }
    }

    private boolean emphasis() {
      var sign = text.charAt(at);
      var length = run(at, sign);
      if (length >= 2 && marked(String.valueOf(sign).repeat(2), Mark.STRONG)) {
        return true;
      }
      if (length == 1 && marked(String.valueOf(sign), Mark.EM)) {
        return true;
      }
      plain.repeat(sign, length);
      at += length;
      return true;
    }

    private boolean marked(String mark, Mark meaning) {
      var from = at + mark.length();
      if (depth >= DEEPEST
          || missing.contains(mark)
          || from >= text.length()
          || Character.isWhitespace(text.charAt(from))
          || (mark.charAt(0) == '_' && at > 0 && isWord(text.charAt(at - 1)))) {
        return false;
      }
      var end = closing(mark, from);
      if (end < 0) {
        missing.add(mark);
        return false;
      }
      flush();
      new Reader(text.substring(from, end), style.with(meaning), depth + 1, out).read();
      at = end + mark.length();
      return true;
    }

    private int closing(String mark, int from) {
      var sign = mark.charAt(0);
      for (var end = from; end < text.length(); end++) {
        var here = text.charAt(end);
        if (here == '\\') {
          end++;
        } else if (here == '`') {
          var length = run(end, '`');
          var closing = closingTicks(end + length, length);
          end = (closing < 0 ? end : closing) + length - 1;
        } else if (here == sign) {
          var length = run(end, sign);
          // The last delimiters of a run close the style that was opened first.
          var start = end + length - mark.length();
          var fits = mark.length() == 1 ? length != 2 : length >= 2;
          if (fits
              && end > from
              && !Character.isWhitespace(text.charAt(end - 1))
              && (sign != '_'
                  || end + length >= text.length()
                  || !isWord(text.charAt(end + length)))) {
            return start;
          }
          end += length - 1;
        }
      }
      return -1;
    }

    private static boolean isWord(char sign) {
      return Character.isLetterOrDigit(sign);
    }
  }
}
