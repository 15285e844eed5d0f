package dev.runnel.surface.jira;

import java.util.ArrayList;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Converts Jira's wiki markup, in which webhooks send comments, to Markdown: enough to recognize
/// code, quotes and mentions. Text that is already Markdown is unchanged.
final class WikiReader {
  private static final Pattern TAG =
      Pattern.compile("\\{(?:quote|(?<name>code|noformat)(?::(?<more>[^{}\\n]*+))?)\\}");
  private static final Pattern DECORATION =
      Pattern.compile("\\{(?:color|panel|anchor)(?::[^{}\\n]*+)?\\}");
  private static final Pattern HEADING = Pattern.compile("^\\s*h([1-6])\\.\\s+");
  private static final Pattern BLOCK_QUOTE = Pattern.compile("^\\s*bq\\.\\s+");
  private static final Pattern ITEM = Pattern.compile("^\\s*(?<marks>[*#]{1,10}) +(?=\\S)");
  private static final Pattern PERSON =
      Pattern.compile("\\[~(?:accountid:)?(?<id>[^\\[\\]\\s|]{1,128}+)\\]");
  private static final Pattern LINK =
      Pattern.compile(
          "\\[(?<words>[^\\[\\]|\\n]++)\\|(?<url>(?:https?://|mailto:)[^\\[\\]|\\s]++)"
              + "[^\\[\\]\\n]*+\\]");
  private static final Pattern BARE_LINK =
      Pattern.compile("\\[(?<url>https?://[^\\[\\]|\\s]++)\\]");
  private static final Pattern CODE = Pattern.compile("\\{\\{(?<code>[^{}\\n]+)\\}\\}");
  private static final Pattern STRONG =
      Pattern.compile(
          "(?<![\\p{L}\\p{N}*\\\\])\\*(?<words>[^*\\s](?:[^*\\n]*[^*\\s])?)\\*(?![\\p{L}\\p{N}*])");
  private static final Pattern ESCAPE = Pattern.compile("\\\\([{}\\[\\]!|*_+^~?#-])");

  private final UnaryOperator<String> person;
  private final ArrayList<String> lines = new ArrayList<>();
  private @Nullable String code;
  private boolean isQuoted;

  private WikiReader(UnaryOperator<String> person) {
    this.person = person;
  }

  /// @param person the display name for an account id or user name
  static String markdown(String wiki, UnaryOperator<String> person) {
    var reader = new WikiReader(person);
    wiki.replace("\r\n", "\n").replace('\r', '\n').lines().forEach(reader::read);
    if (reader.code != null) {
      reader.lines.add("```");
    }
    return String.join("\n", reader.lines).stripTrailing();
  }

  /// Reads a line part by part: each block or quote that begins or ends in it makes lines of its
  /// own.
  private void read(String line) {
    var tag = TAG.matcher(line);
    var from = 0;
    while (tag.find()) {
      var name = tag.group("name");
      if (code != null && !code.equals(name)) {
        continue; // part of the code
      }
      part(line.substring(from, tag.start()));
      from = tag.end();
      if (code != null) {
        code = null;
        lines.add(prefix() + "```");
      } else if (name == null) {
        isQuoted = !isQuoted;
        lines.add("");
      } else {
        code = name;
        lines.add(prefix() + "```" + language(tag.group("more")));
      }
    }
    if (from == 0) {
      lines.add(prefix() + (code == null ? words(line) : line));
    } else if (!line.substring(from).isBlank()) {
      part(line.substring(from));
    }
  }

  /// A part of a line, unless there is nothing in it.
  private void part(String text) {
    if (code != null) {
      add(text);
    } else if (!text.isBlank()) {
      lines.add(prefix() + words(text));
    }
  }

  private void add(String line) {
    if (!line.isEmpty()) {
      lines.add(prefix() + line);
    }
  }

  private String prefix() {
    return isQuoted ? "> " : "";
  }

  private static String language(@Nullable String more) {
    var first = more == null ? "" : more.split("\\|", -1)[0];
    return first.matches("[A-Za-z0-9+#-]{1,20}") ? first : "";
  }

  private String words(String line) {
    var text = DECORATION.matcher(line).replaceAll("");
    var heading = HEADING.matcher(text);
    var item = ITEM.matcher(text);
    var lead = "";
    if (heading.lookingAt()) {
      lead = "#".repeat(Integer.parseInt(heading.group(1))) + " ";
      text = text.substring(heading.end());
    } else if (BLOCK_QUOTE.matcher(text).find()) {
      lead = "> ";
      text = BLOCK_QUOTE.matcher(text).replaceFirst("");
    } else if (item.lookingAt()) {
      var marks = item.group("marks");
      lead = "   ".repeat(marks.length() - 1) + (marks.endsWith("#") ? "1. " : "- ");
      text = text.substring(item.end());
    }
    text = STRONG.matcher(text).replaceAll("**${words}**");
    text = CODE.matcher(text).replaceAll("`${code}`");
    text = LINK.matcher(text).replaceAll("[${words}](<${url}>)");
    text = BARE_LINK.matcher(text).replaceAll("<${url}>");
    text =
        PERSON
            .matcher(text)
            .replaceAll(
                found -> {
                  var name = person.apply(found.group("id"));
                  return Matcher.quoteReplacement(name.startsWith("@") ? name : "@" + name);
                });
    return lead
        + ESCAPE.matcher(text).replaceAll("$1").replace("&#92;", "\\").replace("&amp;", "&");
  }
}
