package dev.runnel.core.command;

import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Extracts the options from a prompt: `--model fast` or `model=fast`, at its beginning or its end.
/// Options in its middle are part of the text. A later option overrides an earlier one.
final class InlineOptions {
  private static final List<String> KEYS =
      List.of("profile", "env", "model", "skill", "name", "title", "factory");
  // Each is searched for in the whole text.
  private static final int MAX_TRAILING = 2 * KEYS.size();

  // Slack's editors turn "--" into a dash and quotes into curly ones.
  private static final String DASHES = "(?:--|\u2014)";
  private static final String KEY = "(?:" + String.join("|", KEYS) + ")";
  private static final String VALUE =
      "(?:\"(?<quoted>[^\"]*)\"|\u201c(?<curly>[^\u201c\u201d]*)\u201d|(?<bare>[^\\s\"\u201c]+))";
  private static final String OPTION =
      "(?:%1$s(?<long>%2$s)(?:\\s*=\\s*|\\s+)|(?<short>%2$s)=)%3$s".formatted(DASHES, KEY, VALUE);
  private static final Pattern LEADING =
      Pattern.compile("^" + OPTION + "(?=\\s|$)\\s*", Pattern.CASE_INSENSITIVE);
  private static final Pattern TRAILING =
      Pattern.compile("(?:^|(?<!\\s)\\s+)" + OPTION + "$", Pattern.CASE_INSENSITIVE);
  private static final Pattern STRAY =
      Pattern.compile("^" + DASHES + "(?<key>[A-Za-z][\\w-]*)(?:[\\s=].*)?$", Pattern.DOTALL);
  private static final Pattern END = Pattern.compile("^" + DASHES + "(?=\\s)\\s*");

  private InlineOptions() {}

  sealed interface Parsed {
    record Good(Request request) implements Parsed {}

    /// @param why the message for the sender
    record Bad(String why) implements Parsed {}
  }

  static Parsed request(String words) {
    if (!mayHaveOptions(words) && !words.isBlank()) {
      return new Parsed.Good(Request.of(words.strip()));
    }
    Map<String, String> options = new LinkedHashMap<>();
    var rest = words;
    for (var at = LEADING.matcher(rest); at.find(); at = LEADING.matcher(rest)) {
      options.put(key(at), value(at));
      rest = rest.substring(at.end());
    }
    var verbatim = END.matcher(rest);
    if (verbatim.find()) {
      rest = rest.substring(verbatim.end());
    } else {
      var stray = STRAY.matcher(rest);
      if (stray.matches()) {
        return new Parsed.Bad(stray(stray.group("key")));
      }
      Map<String, String> trailing = new LinkedHashMap<>();
      for (var number = 0; number < MAX_TRAILING; number++) {
        var at = TRAILING.matcher(rest);
        if (!at.find()) {
          break;
        }
        trailing.putIfAbsent(key(at), value(at));
        rest = rest.substring(0, at.start());
      }
      options.putAll(trailing);
    }
    if (rest.isBlank() && !options.containsKey("skill")) {
      return new Parsed.Bad("There are options, but no prompt.");
    }
    return new Parsed.Good(new Request(rest.strip(), options(options)));
  }

  /// The options of a text that consists of options, each written with dashes.
  static Optional<RunOptions> alone(String words) {
    Map<String, String> options = new LinkedHashMap<>();
    var rest = words.strip();
    for (var at = LEADING.matcher(rest); at.find(); at = LEADING.matcher(rest)) {
      if (at.group("long") == null) {
        return Optional.empty();
      }
      options.put(key(at), value(at));
      rest = rest.substring(at.end());
    }
    return rest.isEmpty() ? Optional.of(options(options)) : Optional.empty();
  }

  /// Whether the text begins with an option.
  static boolean lead(String words) {
    return LEADING.matcher(words).find() || STRAY.matcher(words).matches();
  }

  /// A quick check: each pattern needs one of these characters.
  private static boolean mayHaveOptions(String words) {
    return words.indexOf('=') >= 0 || words.contains("--") || words.indexOf('\u2014') >= 0;
  }

  private static RunOptions options(Map<String, String> options) {
    return new RunOptions(
        Optional.ofNullable(options.get("profile")),
        Optional.ofNullable(options.get("env")),
        Optional.ofNullable(options.get("model")),
        Optional.ofNullable(options.get("skill")),
        Optional.ofNullable(options.get("name")),
        Optional.ofNullable(options.get("title")),
        Optional.ofNullable(options.get("factory")));
  }

  private static String key(Matcher option) {
    var dashed = option.group("long");
    return (dashed == null ? option.group("short") : dashed).toLowerCase(Locale.ROOT);
  }

  private static String value(Matcher option) {
    for (var form : List.of("quoted", "curly")) {
      var value = option.group(form);
      if (value != null) {
        return value;
      }
    }
    return option.group("bare");
  }

  private static String stray(String key) {
    if (KEYS.contains(key.toLowerCase(Locale.ROOT))) {
      return "The option --%s needs a value, for example --%s \"a value\"."
          .formatted(key, key.toLowerCase(Locale.ROOT));
    }
    return "There is no option --%s. The options are --%s. Put -- before a prompt that begins like an option."
        .formatted(key, String.join(", --", KEYS));
  }
}
