package dev.runnel.core.text;

import dev.runnel.core.model.run.StopRequest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/// Sentences about a stop that read the same everywhere.
public final class StopTexts {
  private static final int MAX_UNREAD = 5;
  private static final int MAX_WORDS = 120;
  private static final DateTimeFormatter UTC =
      DateTimeFormatter.ofPattern("HH:mm 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private StopTexts() {}

  /// `Stopped by dana at 14:02 UTC. 2 queued replies were not sent.`, or `Stopped, because dana
  /// removed the label.`; while the run has not stopped, who asked.
  ///
  /// @param by the person, in the surface's syntax
  /// @param time formats a time in the surface's syntax
  public static String requested(
      StopRequest stopRequest, String by, Function<Instant, String> time) {
    var text = new StringBuilder(stopped(stopRequest, by, time));
    if (stopRequest.left().isEmpty() && stopRequest.unsent() > 0) {
      text.append(' ').append(unsent(stopRequest.unsent()));
    }
    return text.toString();
  }

  private static String stopped(
      StopRequest stopRequest, String by, Function<Instant, String> time) {
    if (stopRequest.why().isPresent()) {
      var why = by + " " + stopRequest.why().get() + ".";
      return stopRequest.done().isPresent() ? "Stopped, because " + why : "Asked for: " + why;
    }
    return stopRequest
        .done()
        .map(at -> "Stopped by %s at %s.".formatted(by, time.apply(at)))
        .orElseGet(() -> "Asked by %s at %s.".formatted(by, time.apply(stopRequest.asked())));
  }

  /// `2 replies were not read: “run the linter”, “what does this do?”.`
  ///
  /// @param words the text of each reply
  /// @param shown formats untrusted text on one line in the surface's syntax
  public static String unread(List<String> words, UnaryOperator<String> shown) {
    var left = words.size() - MAX_UNREAD;
    return (words.size() == 1
            ? "1 reply was not read: "
            : words.size() + " replies were not read: ")
        + words.stream()
            .limit(MAX_UNREAD)
            .map(each -> "\u201c" + shown.apply(line(each)) + "\u201d")
            .collect(Collectors.joining(", "))
        + (left > 0 ? ", and " + left + " more." : ".");
  }

  private static String line(String words) {
    return AnswerFormatter.cut(AnswerFormatter.line(words), MAX_WORDS);
  }

  static String unsent(int messages) {
    return messages == 1
        ? "1 queued reply was not sent."
        : messages + " queued replies were not sent.";
  }

  /// `14:02 UTC`, for surfaces that cannot show a time in the reader's time zone.
  public static String utc(Instant at) {
    return UTC.format(at);
  }
}
