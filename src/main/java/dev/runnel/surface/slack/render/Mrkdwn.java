package dev.runnel.surface.slack.render;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/// Converts Markdown, as agents write it, to Slack's mrkdwn. Everything else is escaped, so that
/// text from others cannot mention anybody, and cut text stays well-formed.
///
/// See [Formatting](https://docs.slack.dev/messaging/formatting-message-text).
public final class Mrkdwn {
  private static final String FENCE = "```";
  // A longer link could not be kept whole where a text is split.
  private static final int MAX_LINK = 1_000;
  // The maximum nesting of styles.
  private static final int DEEPEST = 4;

  private static final Pattern FENCE_LINE =
      // Indented as deep as list items.
      Pattern.compile("[ \\t]{0,16}(?<mark>`{3,}(?!.*`)|~{3,})(?<info>.*)");
  private static final Pattern HEADING = Pattern.compile("\\s{0,3}#{1,6}\\s+(?<text>.*)");
  private static final Pattern TASK =
      Pattern.compile("(?<indent>\\s*)[-*+]\\s+\\[(?<mark>[ xX])]\\s+(?<text>.*)");
  private static final Pattern BULLET = Pattern.compile("(?<indent>\\s*)[-*+]\\s+(?<text>.*)");
  private static final Pattern QUOTE = Pattern.compile("\\s{0,3}>\\s?(?<text>.*)");
  private static final Pattern RULE = Pattern.compile("\\s{0,3}([-*_])(?:\\s*+\\1){2,}+\\s*");
  // Characters that are invisible, refused or misread by programs: controls, lone surrogates,
  // overrides of the writing direction.
  private static final Pattern UNSEEN =
      Pattern.compile("[[\\p{Cc}&&[^\\n\\t\\r]]\\p{Cs}\\u202A-\\u202E\\u2066-\\u2069]");
  private static final Pattern BADGE = Pattern.compile("\\[!\\[([^\\[\\]]*+)]\\([^()\\s]*+\\)]\\(");
  private static final Pattern FOLD = Pattern.compile("(?i)</?(?:details|summary)\\s*>|<br\\s*/?>");
  // Repeated groups are possessive: others recurse, and overflow the stack on malicious input.
  private static final Pattern SPAN =
      Pattern.compile(
          "(?<!`)(?<ticks>`++)(?<code>[^`]+)\\k<ticks>(?!`)"
              + "|!?\\[(?<label>[^\\[\\]]*)]\\(<?(?<target>[^()<>\\s]*+(?:\\([^()<>\\s]*+\\)[^()<>\\s]*+)*+)>?"
              + "(?:\\s+\"[^\"]*\")?\\)|<(?<auto>(?:https?://|mailto:)[^\\s<>|]+)>"
              + "|(?<bare>https?://[^\\s<>|`*()]++(?:\\([^\\s<>|`*()]*+\\)[^\\s<>|`*()]*+)*+)"
              + "|\\*\\*(?=\\S)(?<bold>.+?)(?<=\\S)\\*\\*(?!\\*)"
              + "|__(?=\\S)(?<bold2>.+?)(?<=\\S)__(?!\\w)"
              + "|(?<![\\w*])\\*(?=[^\\s*])(?<italic>[^*]*?)(?<=[^\\s*])\\*(?![\\w*])"
              + "|~~(?=\\S)(?<strike>.+?)(?<=\\S)~~|\\\\(?<literal>[\\\\`*_{}\\[\\]()#+.!~<>|-])");

  private Mrkdwn() {}

  /// Escapes plain text.
  static String escape(String text) {
    // Mentions in the text stay readable, but notify nobody.
    return unfenced(
        clean(text)
            .replaceAll("<@([A-Z0-9]+)>", "@$1")
            .replace("&", "&amp;")
            .replace("<", "&lt;")
            .replace(">", "&gt;"));
  }

  static String clean(String text) {
    return UNSEEN.matcher(text).replaceAll("");
  }

  /// Three backticks in a line would open a code block that nothing closes.
  private static String unfenced(String text) {
    return text.replace(FENCE, "'''");
  }

  /// Plain text with bare links and code in backticks.
  static String plain(String words) {
    var text = clean(words);
    var result = new StringBuilder();
    var rest = 0;
    for (var match : SPAN.matcher(text).results().toList()) {
      var bare = match.group("bare");
      if (bare != null) {
        result.append(escape(text.substring(rest, match.start()))).append(bareLink(bare));
        rest = match.end();
      }
    }
    return unfenced(result.append(escape(text.substring(rest))).toString());
  }

  /// Only the label if the URL is too long for a message.
  static String link(URI address, String label) {
    var text = escape(label);
    return address.toString().length() + text.length() > MAX_LINK / 2
        ? text
        : link(address.toString(), text);
  }

  /// @param label already escaped; empty to show the URL
  private static String link(String address, String label) {
    var target =
        address.replace("&", "&amp;").replace("<", "%3C").replace(">", "%3E").replace("|", "%7C");
    if (target.length() + label.length() > MAX_LINK) {
      return label.isEmpty() ? escape(address) : label + " (" + escape(address) + ")";
    }
    return label.isEmpty() ? "<" + target + ">" : "<" + target + "|" + label + ">";
  }

  static String fromMarkdown(String markdown) {
    List<String> lines = new ArrayList<>();
    Optional<String> fence = Optional.empty();
    var written = clean(markdown).lines().toList();
    for (var i = 0; i < written.size(); i++) {
      var line = written.get(i);
      var mark = FENCE_LINE.matcher(line);
      if (fence.isPresent()) {
        if (mark.matches()
            && mark.group("mark").startsWith(fence.get())
            && mark.group("info").isBlank()) {
          lines.add(FENCE);
          fence = Optional.empty();
        } else {
          lines.add(escape(line));
        }
        continue;
      }
      if (MrkdwnTable.startsAt(written, i)) {
        var end = MrkdwnTable.end(written, i);
        separate(lines);
        lines.addAll(
            MrkdwnTable.read(written.subList(i, end))
                .lines(cell -> unfenced(spans(cell)), Mrkdwn::escape));
        i = end - 1;
      } else if (mark.matches()) {
        separate(lines);
        lines.add(FENCE);
        fence = Optional.of(mark.group("mark"));
      } else {
        lines.add(unfenced(line(line)));
      }
    }
    if (fence.isPresent()) {
      lines.add(FENCE);
    }
    return String.join("\n", lines).strip();
  }

  /// Adjacent code blocks would be read as one.
  private static void separate(List<String> lines) {
    if (!lines.isEmpty() && lines.getLast().equals(FENCE)) {
      lines.add("");
    }
  }

  private static String line(String written) {
    var line =
        written.indexOf('`') < 0
            ? BADGE.matcher(FOLD.matcher(written).replaceAll("")).replaceAll("[$1](")
            : written;
    var heading = HEADING.matcher(line);
    if (heading.matches()) {
      var text = heading.group("text").replace("**", "").replace("__", "").strip();
      while (text.endsWith("#")) {
        text = text.substring(0, text.length() - 1).stripTrailing();
      }
      return text.isBlank() ? "" : "*" + spans(text) + "*";
    }
    if (RULE.matcher(line).matches()) {
      return "———";
    }
    var task = TASK.matcher(line);
    if (task.matches()) {
      var box = task.group("mark").isBlank() ? "☐ " : "☑ ";
      return task.group("indent") + box + spans(task.group("text"));
    }
    var bullet = BULLET.matcher(line);
    if (bullet.matches()) {
      var indent = bullet.group("indent");
      return indent + (indent.length() > 1 ? "◦ " : "• ") + spans(bullet.group("text"));
    }
    var quote = QUOTE.matcher(line);
    return quote.matches() ? quoted(quote.group("text")) : spans(line);
  }

  /// Slack has no nested quotes.
  private static String quoted(String text) {
    var rest = text;
    for (var inner = QUOTE.matcher(rest); inner.matches(); inner = QUOTE.matcher(rest)) {
      rest = inner.group("text");
    }
    return "> " + spans(rest);
  }

  private static String spans(String text) {
    return spans(text, DEEPEST);
  }

  private static String spans(String text, int deepest) {
    if (deepest == 0) {
      return escape(text);
    }
    var result = new StringBuilder();
    var rest = 0;
    for (var match : SPAN.matcher(text).results().toList()) {
      result.append(escape(text.substring(rest, match.start()))).append(span(match, deepest - 1));
      rest = match.end();
    }
    return result.append(escape(text.substring(rest))).toString();
  }

  private static String span(MatchResult match, int deepest) {
    var code = match.group("code");
    if (code != null) {
      return "`" + escape(code) + "`";
    }
    var target = match.group("target");
    if (target != null) {
      var label = escape(match.group("label").replaceAll("[*_~`|]", ""));
      if (target.matches("(?:https?://|mailto:).*")) {
        return link(target, label);
      }
      return target.isEmpty() ? label : label + " (" + escape(target) + ")";
    }
    if (match.group("auto") != null) {
      return link(match.group("auto"), "");
    }
    if (match.group("bare") != null) {
      return bareLink(match.group("bare"));
    }
    var bold = match.group("bold") != null ? match.group("bold") : match.group("bold2");
    if (bold != null) {
      return "*" + spans(bold, deepest) + "*";
    }
    if (match.group("italic") != null) {
      return "_" + spans(match.group("italic"), deepest) + "_";
    }
    if (match.group("strike") != null) {
      return "~" + spans(match.group("strike"), deepest) + "~";
    }
    return escape(match.group("literal"));
  }

  /// Punctuation at the end of a bare link belongs to the sentence.
  private static String bareLink(String address) {
    var end = address.length();
    while (".,;:!?'\"_~]}".indexOf(address.charAt(end - 1)) >= 0) {
      end--;
    }
    return link(address.substring(0, end), "") + escape(address.substring(end));
  }

  /// A text split into pieces within the limit.
  ///
  /// @param whole whether the pieces contain the whole text
  record Pieces(List<String> pieces, boolean whole) {}

  /// Splits at line ends if possible; code blocks are closed and reopened at a split.
  ///
  /// @param mrkdwn well-formed, as produced by this class
  static Pieces split(String mrkdwn, int longest, int most) {
    List<String> pieces = new ArrayList<>();
    var piece = new StringBuilder();
    var fenced = false;
    for (var line : shortLines(mrkdwn, longest / 2)) {
      if (piece.length() + line.length() + 2 * FENCE.length() + 2 > longest) {
        pieces.add(close(piece, fenced));
        if (pieces.size() == most) {
          return new Pieces(filled(pieces), false);
        }
        piece = new StringBuilder(fenced ? FENCE + "\n" : "");
      }
      piece.append(line).append('\n');
      fenced ^= line.equals(FENCE);
    }
    pieces.add(close(piece, fenced));
    return new Pieces(filled(pieces), true);
  }

  /// Slack rejects empty texts.
  private static List<String> filled(List<String> pieces) {
    return pieces.stream().filter(it -> !it.isBlank() && !it.replace(FENCE, "").isBlank()).toList();
  }

  private static String close(StringBuilder piece, boolean fenced) {
    return (fenced ? piece.append(FENCE) : piece).toString().stripTrailing();
  }

  private static List<String> shortLines(String text, int longest) {
    List<String> lines = new ArrayList<>();
    for (var line : text.lines().toList()) {
      var rest = line;
      while (rest.length() > longest) {
        var at = safeEnd(rest, longest);
        lines.add(rest.substring(0, at));
        rest = rest.substring(at).stripLeading();
      }
      lines.add(rest);
    }
    return lines;
  }

  /// Truncates to one piece, with a mark that shows the cut.
  static String cut(String mrkdwn, int longest) {
    if (mrkdwn.length() <= longest) {
      return mrkdwn;
    }
    var split = split(mrkdwn, longest - 2, 1);
    return split.pieces().isEmpty() ? "…" : split.pieces().getFirst() + "\n…";
  }

  /// The first line, truncated; call before escaping.
  public static String oneLine(String text, int longest) {
    var line = clean(text).strip().lines().findFirst().orElse("").strip();
    if (line.length() <= longest) {
      return line;
    }
    var at = Character.isHighSurrogate(line.charAt(longest - 2)) ? longest - 2 : longest - 1;
    return line.substring(0, at).stripTrailing() + "…";
  }

  /// The last position to split at without breaking a link, an entity or a character.
  private static int safeEnd(String line, int longest) {
    var end = longest;
    var open = line.lastIndexOf('<', end - 1);
    if (open > 0 && line.indexOf('>', open) >= end) {
      end = open;
    }
    var entity = line.lastIndexOf('&', end - 1);
    if (entity > 0 && line.indexOf(';', entity) >= end) {
      end = entity;
    }
    if (Character.isHighSurrogate(line.charAt(end - 1)) && end > 1) {
      end--;
    }
    var space = line.lastIndexOf(' ', end - 1);
    // Do not split at a space inside a link's label.
    var inLink = space > 0 && line.lastIndexOf('<', space) > line.lastIndexOf('>', space);
    return space > end / 2 && !inLink ? space : end;
  }
}
