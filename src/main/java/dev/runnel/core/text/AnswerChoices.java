package dev.runnel.core.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The answers that an agent offers with its question: a list at the end of the question, one
/// answer per line, numbered or with bullets. Only a list directly after the question counts,
/// because agents also list what they have done. Pure.
///
/// @param question the text before and after the list
/// @param choices the answers, as plain text; empty where the agent offers none
/// @param markdown the answers as the agent wrote them
public record AnswerChoices(String question, List<String> choices, List<String> markdown) {
  private static final int MIN_CHOICES = 2;
  private static final int MAX_CHOICES = 10;
  private static final int MAX_LENGTH = 150;
  private static final int MAX_MARKDOWN = 2 * MAX_LENGTH;
  private static final int MAX_LINES = 2_000;
  private static final Pattern ITEM =
      Pattern.compile("\\s{0,4}(?:\\(?(?:\\d{1,2}|[A-Ja-j])[.)]|[-*•])\\s+(?<text>\\S.*)");
  private static final Pattern ASKS_TO_CHOOSE =
      Pattern.compile(
          "^.*\\b(?:which|choose|pick|prefer|select|options?|choices?)\\b.*",
          Pattern.CASE_INSENSITIVE);
  // Code, or bold words. Not underscores: `__init__` is a name. A pattern is tried on short text
  // only, because it recurses for each character.
  private static final Pattern MARKUP =
      Pattern.compile(
          "(?<!`)(?<ticks>`++)(?<code>(?:(?!\\k<ticks>).)++)\\k<ticks>(?!`)"
              + "|(?<![^\\s(])\\*\\*(?=\\S)(?<bold>(?:`[^`]*+`|[^*`]++|\\*(?!\\*))++)(?<=\\S)\\*\\*"
              + "(?=[.,:;!?)]*(?:\\s|$))");
  private static final Pattern VISIBLE = Pattern.compile("[^\\p{C}\\p{Z}]");
  private static final Pattern NUMBER =
      Pattern.compile("(?:option\\s+|number\\s+|#)?(\\d{1,2})[.)]?", Pattern.CASE_INSENSITIVE);

  public AnswerChoices {
    choices = List.copyOf(choices);
    markdown = List.copyOf(markdown);
  }

  public static AnswerChoices of(String text) {
    var none = new AnswerChoices(text.strip(), List.of(), List.of());
    var lines = text.strip().lines().toList();
    if (lines.size() > MAX_LINES) {
      return none;
    }
    var end = lines.size();
    // One line may follow the list: "Which do you prefer?"
    if (end > 0 && !isItem(lines.get(end - 1))) {
      if (!ASKS_TO_CHOOSE.matcher(lines.get(end - 1)).matches()) {
        return none;
      }
      end--;
    }
    end = withoutBlank(lines, end);
    var markdown = new ArrayList<String>();
    var begin = end;
    while (begin > 0 && (isItem(lines.get(begin - 1)) || isGap(lines, begin - 1))) {
      begin--;
      if (!lines.get(begin).isBlank()) {
        markdown.addFirst(item(lines.get(begin)));
      }
    }
    var choices = markdown.stream().map(AnswerChoices::plain).toList();
    var before = withoutBlank(lines, begin);
    var isAsked =
        before > 0
            && (end < withoutBlank(lines, lines.size())
                || lines.get(before - 1).contains("?")
                || ASKS_TO_CHOOSE.matcher(lines.get(before - 1)).matches());
    if (!isAsked
        || choices.size() < MIN_CHOICES
        || choices.size() > MAX_CHOICES
        || choices.stream().distinct().count() < choices.size()
        || !choices.stream().allMatch(AnswerChoices::canBeChosen)) {
      return none;
    }
    var question = new ArrayList<>(lines.subList(0, before));
    question.addAll(lines.subList(end, lines.size()));
    return new AnswerChoices(String.join("\n", question).strip(), choices, markdown);
  }

  /// The choice that a reply selects by its number or its text; empty for any other answer.
  public Optional<String> chosenBy(String reply) {
    var text = reply.strip();
    // A choice may be a number itself.
    return choices.stream()
        .filter(each -> each.equalsIgnoreCase(text))
        .findFirst()
        .or(() -> numbered(text));
  }

  private Optional<String> numbered(String text) {
    var number = NUMBER.matcher(text);
    if (!number.matches()) {
      return Optional.empty();
    }
    var at = Integer.parseInt(number.group(1));
    return at >= 1 && at <= choices.size() ? Optional.of(choices.get(at - 1)) : Optional.empty();
  }

  /// Whether it asks to approve a plan. Any other answer then changes the plan.
  public boolean isAboutPlan() {
    return choices.equals(List.of("Approve", "Decline"));
  }

  /// Whether it asks to permit the use of a tool.
  public boolean isAboutTool() {
    return choices.equals(List.of("Allow once", "Allow for this run", "Decline"));
  }

  /// The choices as a numbered list in Markdown; empty where there are none.
  public String numbered() {
    var list = new StringBuilder();
    for (var i = 0; i < markdown.size(); i++) {
      list.append(i == 0 ? "" : "\n").append(i + 1).append(". ").append(markdown.get(i));
    }
    return list.toString();
  }

  private static boolean canBeChosen(String choice) {
    return choice.length() <= MAX_LENGTH && VISIBLE.matcher(choice).find();
  }

  private static boolean isItem(String line) {
    return ITEM.matcher(line).matches();
  }

  /// Whether it is the blank line between two items.
  private static boolean isGap(List<String> lines, int at) {
    return lines.get(at).isBlank() && at > 0 && isItem(lines.get(at - 1));
  }

  private static String item(String line) {
    var form = ITEM.matcher(line);
    return form.matches() ? form.group("text").strip() : "";
  }

  /// Without the marks around code and bold words.
  private static String plain(String markdown) {
    if (markdown.length() > MAX_MARKDOWN) {
      return markdown;
    }
    return MARKUP
        .matcher(markdown)
        .replaceAll(
            part ->
                Matcher.quoteReplacement(
                    part.group("code") != null
                        ? part.group("code").strip()
                        : plain(part.group("bold"))))
        .strip();
  }

  private static int withoutBlank(List<String> lines, int end) {
    var last = end;
    while (last > 0 && lines.get(last - 1).isBlank()) {
      last--;
    }
    return last;
  }
}
