package dev.runnel.console.detail;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.DeliveryTrace;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.text.RunTexts;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// A message of the run's conversation, and the decision about it.
///
/// Public because the templates are in another package.
///
/// @param at the time of the message, in ISO 8601; empty if its row cannot be read
/// @param text the beginning of its text; empty for buttons and labels
/// @param result the decision, or why there is none yet
public record Decision(String at, String who, String text, String result) {
  private static final int MAX_TEXT = 200;

  /// @param requester who requested the run; events of Slack contain only the id of their sender
  /// @param redaction removes secrets, before the text is cut
  public static Decision of(
      DeliveryTrace trace, Actor requester, UnaryOperator<String> redaction, Instant now) {
    var delivery = trace.delivery();
    return new Decision(
        delivery.map(it -> it.saidAt().toString()).orElse(""),
        delivery.map(Delivery::actor).map(it -> name(it, requester)).orElse(""),
        delivery.map(it -> text(it, redaction)).orElse("A message that cannot be read"),
        redaction.apply(result(trace, now)));
  }

  private static String name(Actor sender, Actor requester) {
    return sender.id().equals(requester.id()) ? requester.name() : sender.name();
  }

  private static String result(DeliveryTrace trace, Instant now) {
    return switch (trace.state()) {
      case DONE ->
          trace
              .note()
              .filter(note -> !note.isEmpty())
              .map(note -> "Decided " + note.replace("`", ""))
              .orElse("done");
      case PARKED -> "given up: " + trace.why().orElse("no reason is known");
      case WAITS -> {
        var left = Duration.between(now, trace.dueAt());
        yield "waits"
            + trace.why().map(it -> ": " + it).orElse("")
            + (left.toSeconds() > 1 ? ", next attempt in " + RunTexts.elapsed(left) : "");
      }
    };
  }

  private static String text(Delivery delivery, UnaryOperator<String> redaction) {
    Optional<String> text =
        switch (delivery.intent()) {
          case Intent.ForAgent words -> Optional.of(words.request().text());
          case Intent.Cancel _ -> Optional.of("stop");
          case Intent.Retry _ -> Optional.of("retry");
          case Intent.Status _ -> Optional.of("status");
          case Intent.GeneralCommand _,
              Intent.PlatformEvent _,
              Intent.Link _,
              Intent.Linked _,
              Intent.Help _,
              Intent.Unclear _ ->
              Optional.empty();
        };
    return text.map(redaction)
        .map(it -> it.strip().replaceAll("\\s+", " "))
        .map(it -> it.length() > MAX_TEXT ? it.substring(0, MAX_TEXT) + "…" : it)
        .orElse("");
  }
}
