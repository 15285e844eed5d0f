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

/// Texts about a stop, the same on every platform.
public final class StopTexts {
  private static final int MAX_UNREAD = 5;
  private static final int MAX_WORDS = 120;
  private static final DateTimeFormatter UTC =
      DateTimeFormatter.ofPattern("HH:mm 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private StopTexts() {}

  /// `Stopped by dana at 14:02 UTC. 2 queued replies were not sent.`, or `Stopped, because dana
  /// removed the label.`; `Asked by dana at 14:02 UTC.` while the run has not stopped.
  ///
  /// @param by the person, in the surface's syntax
  /// @param time formats a time in the surface's syntax
  public static String requested(StopRequest stop, String by, Function<Instant, String> time) {
    var text = new StringBuilder(stopped(stop, by, time));
    if (stop.left().isEmpty() && stop.unsent() > 0) {
      text.append(' ').append(unsent(stop.unsent()));
    }
    return text.toString();
  }

  private static String stopped(StopRequest stop, String by, Function<Instant, String> time) {
    if (stop.why().isPresent()) {
      var why = by + " " + stop.why().get() + ".";
      return stop.done().isPresent() ? "Stopped, because " + why : "Asked for: " + why;
    }
    return stop.done()
        .map(at -> "Stopped by %s at %s.".formatted(by, time.apply(at)))
        .orElseGet(() -> "Asked by %s at %s.".formatted(by, time.apply(stop.asked())));
  }

  /// `2 replies were not read: “run the linter”, “what does this do?”.`
  ///
  /// @param format formats untrusted text on one line in the surface's syntax
  public static String unread(List<String> replies, UnaryOperator<String> format) {
    var left = replies.size() - MAX_UNREAD;
    return (replies.size() == 1
            ? "1 reply was not read: "
            : replies.size() + " replies were not read: ")
        + replies.stream()
            .limit(MAX_UNREAD)
            .map(each -> "\u201c" + format.apply(line(each)) + "\u201d")
            .collect(Collectors.joining(", "))
        + (left > 0 ? ", and " + left + " more." : ".");
  }

  private static String line(String words) {
    return AnswerFormatter.cut(AnswerFormatter.line(words), MAX_WORDS);
  }

  private static String unsent(int messages) {
    return messages == 1
        ? "1 queued reply was not sent."
        : messages + " queued replies were not sent.";
  }

  /// `14:02 UTC`, for surfaces that cannot show a time in the reader's time zone.
  public static String utc(Instant at) {
    return UTC.format(at);
  }
}
