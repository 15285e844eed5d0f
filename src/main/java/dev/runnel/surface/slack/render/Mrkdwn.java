package dev.runnel.surface.slack.render;

import dev.runnel.core.model.conversation.Actor;
import dev.runnel.text.Truncation;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Converts Markdown, as agents write it, to Slack's mrkdwn. Everything else is escaped, so that
/// text from others cannot mention anybody, and cut text stays well-formed.
///
/// See [Formatting](https://docs.slack.dev/messaging/formatting-message-text).
public final class Mrkdwn {
  static final String FENCE = "```";
  // A longer link could not be kept whole where a text is split.
  private static final int MAX_LINK = 1_000;

  // Characters that are invisible, refused or misread by programs: controls, lone surrogates,
  // overrides of the writing direction.
  private static final Pattern UNSEEN =
      Pattern.compile("[[\\p{Cc}&&[^\\n\\t\\r]]\\p{Cs}\\u202A-\\u202E\\u2066-\\u2069]");
  // A bare link; code and links with a label are skipped. Repeated groups are possessive: others
  // recurse, and overflow the stack on malicious input.
  private static final Pattern BARE_LINK =
      Pattern.compile(
          "(?<!`)(?<ticks>`++)[^`]+\\k<ticks>(?!`)|\\]\\(<?[^()<>\\s]*+|<(?:https?://|mailto:)[^\\s<>|]+>"
              + "|(?<bare>https?://[^\\s<>|`*()]++(?:\\([^\\s<>|`*()]*+\\)[^\\s<>|`*()]*+)*+)");

  private static final Pattern NAMED_USER =
      Pattern.compile("(?<![\\w`:/])slack:([UW][A-Z0-9]{1,20})\\b");
  private static final Pattern NAMED_GROUP =
      Pattern.compile("(?<![\\w`:/])slack:group:(S[A-Z0-9]{1,20})\\b");
  private static final Pattern USER = Pattern.compile("[UW][A-Z0-9]{1,20}");
  private static final int MAX_NAME = 150;

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

  /// Mentions a Slack user. Names anybody else, because the id could be that of another person in
  /// Slack.
  static String mention(Actor person) {
    return USER.matcher(person.id()).matches()
        ? "<@" + person.id() + ">"
        : escape(oneLine(person.name(), MAX_NAME));
  }

  /// Mentions the users and user groups that are named as in a policy: `slack:U012345`,
  /// `slack:group:S0PLAT`.
  ///
  /// @param mrkdwn well-formed, as produced by this class
  static String mentions(String mrkdwn) {
    return NAMED_GROUP
        .matcher(NAMED_USER.matcher(mrkdwn).replaceAll("<@$1>"))
        .replaceAll("<!subteam^$1>");
  }

  static String clean(String text) {
    return UNSEEN.matcher(text).replaceAll("");
  }

  /// Three backticks in a line would open a code block that nothing closes.
  static String unfenced(String text) {
    return text.replace(FENCE, "'''");
  }

  /// Plain text with bare links and code in backticks.
  static String plain(String words) {
    var text = clean(words);
    var result = new StringBuilder();
    var rest = 0;
    for (var match : BARE_LINK.matcher(text).results().toList()) {
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
  static String link(String address, String label) {
    var target =
        clean(address)
            .replaceAll("\\s", "%20")
            .replace("&", "&amp;")
            .replace("<", "%3C")
            .replace(">", "%3E")
            .replace("|", "%7C");
    if (target.length() + label.length() > MAX_LINK) {
      return label.isEmpty() ? escape(address) : label + " (" + escape(address) + ")";
    }
    return label.isEmpty() ? "<" + target + ">" : "<" + target + "|" + label + ">";
  }

  static String fromMarkdown(String markdown) {
    return MarkdownToMrkdwn.of(markdown);
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
    return Truncation.cut(line, longest);
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
    end = Math.max(1, Truncation.boundary(line, end));
    var space = line.lastIndexOf(' ', end - 1);
    // Do not split at a space inside a link's label.
    var inLink = space > 0 && line.lastIndexOf('<', space) > line.lastIndexOf('>', space);
    return space > end / 2 && !inLink ? space : end;
  }
}
