package dev.runnel.surface.markdown;

import dev.runnel.core.prompt.InvisibleCharacters;
import dev.runnel.text.Truncation;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The Markdown functions that Runnel needs: the visible part of a comment, its code, and quotes of
/// text from others that have no effect.
public final class Markdown {
  private static final Pattern QUOTE = Pattern.compile("^ {0,3}>.*");

  /// An @, or its HTML entity, unless it is part of an email address.
  private static final String AT =
      "(?:(?<![A-Za-z0-9])@|&(?:#0{0,8}64|#[xX]0{0,8}40|commat);)(?=\\S)";

  // The slash of a command, a URL that every tracker makes a link, an @ that a tracker may take for
  // a mention, or an image. Viewing an image sends a request to a server that the text's author may
  // have chosen, with data in the URL.
  private static final Pattern ACTIVE =
      Pattern.compile(
          "(?m:^)(?<indent>[^\\S\\n"
              + "]*+)/"
              + "|(?<url>(?<![^\\s(*_~])https?://[A-Za-z0-9-]++(?:\\.[A-Za-z0-9-]++)++(?::[0-9]++)?+"
              + "/[^\\s<>()\\[\\]\"'`]*+)|(?<at>"
              + AT
              + ")"
              + "|(?<image>(?<!\\\\)(?:!(?=\\[)"
              + "|<(?=(?i:img|image|picture|video|audio|source)[\\s/>])))");
  private static final Pattern MENTION = Pattern.compile(AT);
  private static final Pattern MARKS = Pattern.compile("[\\\\`*_\\[\\]<>|~#&]");
  private static final Pattern SPACES = Pattern.compile("\\s+");

  /// Later text is not read.
  public static final int MAX_SOURCE = 100_000;

  private static final String COMMENT_START = "<!--";
  private static final String COMMENT_END = "-->";
  private static final char ZERO_WIDTH_SPACE = '\u200B';

  private Markdown() {}

  public enum Kind {
    WORDS,
    QUOTE,
    CODE
  }

  public record Line(Kind kind, String text) {}

  /// The visible text of a comment, line by line: without HTML comments and invisible characters.
  /// Longer text is cut, with `…` at its end.
  public static List<Line> visibleLines(String source) {
    return new Reader(Truncation.cut(source, MAX_SOURCE)).lines();
  }

  public static String text(List<Line> lines) {
    return lines.stream().map(Line::text).collect(Collectors.joining("\n")).strip();
  }

  /// Text from others, to be posted as it is: it mentions nobody, loads no images, hides nothing,
  /// and leaves no code block open that would include the text after it.
  ///
  /// @param slashCommands whether the tracker, or bots there, run a line that begins with a slash
  ///   as a command
  public static String inert(String source, boolean slashCommands) {
    var text =
        visibleLines(source).stream()
            .map(Line::text)
            .collect(Collectors.joining("\n"))
            .stripTrailing();
    var code = MarkdownCode.of(text);
    var inert = withoutEffects(text, code, slashCommands);
    return code.openFence().map(fence -> inert + "\n" + fence).orElse(inert);
  }

  /// Text from others inside a sentence or a link: one line, with all markup escaped.
  public static String plain(String source, int maxLength) {
    return inertLine(MARKS.matcher(visibleLine(source, maxLength)).replaceAll("\\\\$0"));
  }

  /// Text from others on one line, with code and links kept.
  public static String inertLine(String source, int maxLength) {
    return inertLine(visibleLine(source, maxLength));
  }

  /// The visible text, on one line.
  public static String visibleLine(String source, int maxLength) {
    var visible = InvisibleCharacters.text(source);
    // Nothing but a comment hides more, and most texts are titles without one.
    var text = visible.contains(COMMENT_START) ? text(visibleLines(visible)) : visible.strip();
    return Truncation.cut(SPACES.matcher(text).replaceAll(" "), maxLength);
  }

  private static String inertLine(String line) {
    return withoutEffects(line, MarkdownCode.of(line), false);
  }

  private static String withoutEffects(String text, MarkdownCode code, boolean slashCommands) {
    return ACTIVE
        .matcher(text)
        .replaceAll(
            active -> {
              var found = active.group();
              if (code.isCode(active.end() - 1)) {
                // Trackers disagree about what is code, but no command begins with a space.
                return slashCommands && found.equals("/") ? " /" : Matcher.quoteReplacement(found);
              }
              if (active.group("indent") != null) {
                return slashCommands ? "${indent}\\\\/" : "$0";
              }
              if (active.group("url") != null) {
                return Matcher.quoteReplacement(
                    code.isHtml(active.start())
                        ? MENTION.matcher(found).replaceAll("$0" + ZERO_WIDTH_SPACE)
                        : found);
              }
              return active.group("at") != null ? "$0" + ZERO_WIDTH_SPACE : "\\\\$0";
            });
  }

  /// Reads the lines and tracks open comments.
  private static final class Reader {
    private final List<String> source;
    // Whether a comment ends on a later line of the same paragraph.
    private final boolean[] closedBelow;
    private final List<Line> lines = new ArrayList<>();
    private final MarkdownCode code;
    private boolean comment;

    Reader(String source) {
      var visible = InvisibleCharacters.text(source);
      this.code = MarkdownCode.of(visible);
      this.source = visible.lines().toList();
      this.closedBelow = new boolean[this.source.size()];
      for (var at = this.source.size() - 2; at >= 0; at--) {
        var below = this.source.get(at + 1);
        closedBelow[at] = !below.isBlank() && (closedBelow[at + 1] || below.contains(COMMENT_END));
      }
      var start = 0;
      for (var at = 0; at < this.source.size(); at++) {
        read(at, start);
        start += this.source.get(at).length() + 1;
      }
    }

    List<Line> lines() {
      return lines;
    }

    /// @param lineStart its position in the text
    private void read(int at, int lineStart) {
      var raw = source.get(at);
      if (!comment && code.isFenced(at)) {
        lines.add(new Line(Kind.CODE, raw));
        return;
      }
      var visibleLines = withoutComments(at, lineStart);
      if (raw.isBlank() || !visibleLines.isBlank()) {
        lines.add(
            new Line(
                QUOTE.matcher(visibleLines).matches() ? Kind.QUOTE : Kind.WORDS, visibleLines));
      }
    }

    private String withoutComments(int at, int lineStart) {
      var raw = source.get(at);
      var lastEnd = raw.lastIndexOf(COMMENT_END);
      var firstWord = raw.length() - raw.stripLeading().length();
      var visibleLines = new StringBuilder();
      var from = 0;
      while (from < raw.length()) {
        if (comment) {
          var end = lastEnd < from ? -1 : raw.indexOf(COMMENT_END, from);
          if (end < 0) {
            return visibleLines.toString();
          }
          comment = false;
          from = end + COMMENT_END.length();
          continue;
        }
        var start = raw.indexOf(COMMENT_START, from);
        if (start < 0) {
          return visibleLines.append(raw, from, raw.length()).toString();
        }
        visibleLines.append(raw, from, start);
        // Inside a code span, or in the middle of a line and never closed in its paragraph, the
        // comment's start is plain text.
        var closed = lastEnd >= start + 2 || closedBelow[at];
        if (code.isCode(lineStart + start) || !(closed || start == firstWord)) {
          visibleLines.append(COMMENT_START);
          from = start + COMMENT_START.length();
        } else {
          comment = true;
          // "<!-->" is a whole comment, so its end may share the dashes of its start.
          from = start + 2;
        }
      }
      return visibleLines.toString();
    }
  }
}
