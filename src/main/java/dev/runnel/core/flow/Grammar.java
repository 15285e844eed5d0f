package dev.runnel.core.flow;

import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Request;
import dev.runnel.core.model.RunId;
import dev.runnel.core.model.RunOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// From words to an [Intent]. A text that is exactly a verb, with arguments of its form, is a
/// command; anything else is a prompt: `list` lists, `list the open ports` is work.
///
/// Surfaces hand in plain text, their own mark-up and mention removed.
public final class Grammar {
  /// What a message begins with that is for the people in the thread only.
  public static final String ASIDE = "//";

  private static final String RUN =
      "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|(?:run[-_])[\\w-]+";
  private static final Pattern VERB =
      Pattern.compile(
          "(?<verb>cancel|stop|status|retry)(?:\\s+(?:\\S*/runs/)?(?<run>" + RUN + ")/?)?",
          Pattern.CASE_INSENSITIVE);
  private static final List<String> OPTIONS =
      List.of("profile", "env", "model", "skill", "name", "title", "factory");
  // Slack's editors turn "--" into a dash and quotes into curly ones.
  private static final String DASHES = "(?:--|\u2014)";
  private static final String VALUE =
      "(?:\"(?<quoted>[^\"]*)\"|\u201c(?<curly>[^\u201d]*)\u201d|(?<bare>[^\\s\"\u201c]+))";
  private static final String OPTION =
      DASHES + "(?<key>" + String.join("|", OPTIONS) + ")(?:\\s*=\\s*|\\s+)" + VALUE;
  private static final Pattern LEADING_OPTION =
      Pattern.compile("^" + OPTION + "(?=\\s|$)\\s*", Pattern.CASE_INSENSITIVE);
  private static final Pattern TRAILING_OPTION =
      Pattern.compile("(?:^|\\s+)" + OPTION + "$", Pattern.CASE_INSENSITIVE);
  private static final Pattern STRAY_OPTION =
      Pattern.compile("^" + DASHES + "(?<key>[A-Za-z][\\w-]*)(?:[\\s=].*)?$", Pattern.DOTALL);
  private static final Pattern END_OF_OPTIONS = Pattern.compile("^" + DASHES + "(?=\\s)\\s*");

  private Grammar() {}

  /// Words said where a command starts something new: `/agent …` in Slack.
  public static Intent command(String text) {
    var words = text.strip();
    if (words.isEmpty()) {
      return new Intent.Help();
    }
    if (words.equalsIgnoreCase("list")) {
      return new Intent.ListRuns();
    }
    return verb(words)
        .orElseGet(
            () ->
                switch (request(words)) {
                  case Parsed.Good(Request request) -> new Intent.Start(request);
                  case Parsed.Bad(String why) -> new Intent.Unclear(why);
                });
  }

  /// Words said in a thread or issue, addressed to Runnel or not.
  ///
  /// @return empty for an aside
  public static Optional<Intent> words(String text) {
    var words = text.strip();
    if (words.startsWith(ASIDE)) {
      return Optional.empty();
    }
    if (words.isEmpty()) {
      return Optional.of(new Intent.Help());
    }
    return Optional.of(
        verb(words)
            .orElseGet(
                () ->
                    switch (request(words)) {
                      case Parsed.Good(Request request) -> new Intent.Say(request);
                      case Parsed.Bad(String why) -> new Intent.Unclear(why);
                    }));
  }

  private static Optional<Intent> verb(String words) {
    if (words.equalsIgnoreCase("help")) {
      return Optional.of(new Intent.Help());
    }
    Matcher matcher = VERB.matcher(words);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    var run = Optional.ofNullable(matcher.group("run")).map(RunId::new);
    return Optional.of(
        switch (matcher.group("verb").toLowerCase(Locale.ROOT)) {
          case "status" -> new Intent.Status(run);
          case "retry" -> new Intent.Retry(run);
          default -> new Intent.Cancel(run, Optional.empty());
        });
  }

  private sealed interface Parsed {
    record Good(Request request) implements Parsed {}

    record Bad(String why) implements Parsed {}
  }

  /// Options stand at the beginning or at the end of a prompt; those in its middle are its words.
  private static Parsed request(String words) {
    Map<String, String> options = new LinkedHashMap<>();
    var rest = words;
    for (var at = LEADING_OPTION.matcher(rest); at.find(); at = LEADING_OPTION.matcher(rest)) {
      put(options, at);
      rest = rest.substring(at.end());
    }
    var verbatim = END_OF_OPTIONS.matcher(rest);
    if (verbatim.find()) {
      rest = rest.substring(verbatim.end());
    } else {
      var stray = STRAY_OPTION.matcher(rest);
      if (stray.matches()) {
        return new Parsed.Bad(strayOption(stray.group("key")));
      }
      for (var at = TRAILING_OPTION.matcher(rest); at.find(); at = TRAILING_OPTION.matcher(rest)) {
        put(options, at);
        rest = rest.substring(0, at.start());
      }
    }
    if (rest.isBlank() && !options.containsKey("skill")) {
      return new Parsed.Bad("There are options, but no words that say what the agent should do.");
    }
    return new Parsed.Good(
        new Request(
            rest.strip(),
            new RunOptions(
                Optional.ofNullable(options.get("profile")),
                Optional.ofNullable(options.get("env")),
                Optional.ofNullable(options.get("model")),
                Optional.ofNullable(options.get("skill")),
                Optional.ofNullable(options.get("name")),
                Optional.ofNullable(options.get("title")),
                Optional.ofNullable(options.get("factory")))));
  }

  private static void put(Map<String, String> options, Matcher option) {
    for (var form : List.of("quoted", "curly", "bare")) {
      var value = option.group(form);
      if (value != null) {
        options.put(option.group("key").toLowerCase(Locale.ROOT), value);
      }
    }
  }

  private static String strayOption(String key) {
    if (OPTIONS.contains(key.toLowerCase(Locale.ROOT))) {
      return "The option --%s needs a value, for example --%s \"a value\"."
          .formatted(key, key.toLowerCase(Locale.ROOT));
    }
    return "There is no option --%s. The options are --%s. Put -- before a prompt that begins like one."
        .formatted(key, String.join(", --", OPTIONS));
  }
}
