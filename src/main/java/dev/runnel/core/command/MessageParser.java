package dev.runnel.core.command;

import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Request;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/// From words to an [Intent]. A text that is exactly a verb, with arguments of its form, is a
/// command; anything else is a prompt: `list` lists, `list the open ports` is work.
///
/// Surfaces hand in plain text, their own mark-up and mention removed.
public final class MessageParser {
  /// What a message begins with that is for the people in the thread only. `aside from that` is a
  /// sentence as any other; two slashes cannot be typed everywhere.
  private static final Pattern ASIDE =
      Pattern.compile(
          "^(?://|aside(?!\\w|\\s+from\\b)).*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private MessageParser() {}

  /// Words said where a command starts something new: `/agent …` in Slack.
  public static Intent command(String text) {
    var words = text.strip();
    if (words.isEmpty()) {
      return new Intent.Help();
    }
    return CommandParser.command(words)
        .map(
            intent ->
                intent instanceof Intent.New(var request) ? new Intent.Start(request) : intent)
        .orElseGet(() -> work(CommandParser.task(words), Intent.Start::new));
  }

  /// Words said to Runnel in a thread or issue.
  ///
  /// @return empty for an aside
  public static Optional<Intent> words(String text) {
    return words(text, true);
  }

  /// Words said in a thread or issue. In those that are not addressed to Runnel only the words that
  /// a thread needs are commands; all else goes to the agent.
  ///
  /// @return empty for an aside
  public static Optional<Intent> words(String text, boolean addressed) {
    var words = text.strip();
    if (ASIDE.matcher(words).matches()) {
      return Optional.empty();
    }
    if (words.isEmpty()) {
      return Optional.of(new Intent.Help());
    }
    var verb = addressed ? CommandParser.command(words) : CommandParser.inThread(words);
    var task = addressed ? CommandParser.task(words) : words;
    return Optional.of(verb.orElseGet(() -> work(task, Intent.Say::new)));
  }

  /// Words that are work whatever they are, as in a form: a verb is no command there, but options
  /// count.
  ///
  /// @param intent what the work is: a start, or something said
  /// @return also [Intent.Unclear]
  public static Intent task(String text, Function<Request, Intent> intent) {
    return work(text.strip(), intent);
  }

  private static Intent work(String words, Function<Request, Intent> intent) {
    return switch (InlineOptions.request(words)) {
      case InlineOptions.Parsed.Good(Request request) -> intent.apply(request);
      case InlineOptions.Parsed.Bad(String why) -> new Intent.Unclear(why);
    };
  }
}
