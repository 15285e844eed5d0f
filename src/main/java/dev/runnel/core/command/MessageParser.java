package dev.runnel.core.command;

import dev.runnel.core.model.Intent;
import dev.runnel.core.model.run.Request;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/// Parses a message into an [Intent]. A text that is exactly a verb with arguments in its syntax is
/// a command; anything else is a prompt: `list` lists, `list the open ports` is a prompt.
///
/// Surfaces pass plain text, without their own markup and mentions.
public final class MessageParser {
  /// The beginning of an aside, a message for the people in the thread only. `aside from that`
  /// begins a normal sentence; `//` cannot be typed on all platforms.
  private static final Pattern ASIDE =
      Pattern.compile(
          "^(?://|aside(?!\\w|\\s+from\\b)).*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private MessageParser() {}

  /// Parses a command that starts something new: `/agent …` in Slack.
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

  /// Parses a message addressed to Runnel in a thread or issue.
  ///
  /// @return empty for an aside
  public static Optional<Intent> words(String text) {
    return words(text, true);
  }

  /// Parses a message in a thread or issue. If it is not addressed to Runnel, only the commands
  /// needed in a thread are recognized; everything else goes to the agent.
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

  /// Parses text that is always a prompt, as in a form: verbs are not commands, but options count.
  ///
  /// @param intent creates the intent: a start, or a message
  /// @return also [Intent.Unclear]
  public static Intent task(String text, Function<Request, Intent> intent) {
    return work(text.strip(), intent);
  }

  /// Whether a text for the agent begins like a stop, such as `stop using log4j`: its sender may
  /// have meant the run.
  public static boolean resemblesStop(String text) {
    return StopPhrase.begins(text) && !StopPhrase.isStop(text);
  }

  private static Intent work(String words, Function<Request, Intent> intent) {
    return switch (InlineOptions.request(words)) {
      case InlineOptions.Parsed.Good(Request request) -> intent.apply(request);
      case InlineOptions.Parsed.Bad(String why) -> new Intent.Unclear(why);
    };
  }
}
