package dev.runnel.core.decide;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.PendingReply;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunFile;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.text.StopTexts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/// Computes the updates for a conversation from the state last posted and the run's current state.
/// Pure.
public final class Changes {
  private Changes() {}

  /// @return the status post first, then new posts; empty if nothing changed that people should see
  public static List<Update> between(Binding told, Run now, Instant at) {
    var before = told.run();
    if (isOlder(now, before) || endsAgainOnlyByName(told, now)) {
      return List.of();
    }
    var entered = told.reopened() || !now.stateName().equals(before.stateName());
    return updates(told, now, entered, before.files(), at);
  }

  /// All updates about a run that was just bound; a short run may have ended already.
  public static List<Update> atFirst(Binding bound, Instant at) {
    return updates(bound, bound.run(), true, List.of(), at);
  }

  /// @param entered whether the run's state is new to the conversation
  /// @param known the files that the conversation was told of
  private static List<Update> updates(
      Binding told, Run now, boolean entered, List<RunFile> known, Instant at) {
    var before = told.run();
    var replied = told.repliesAt(now);
    var unread =
        Stream.concat(
                replied.unread().stream().map(PendingReply::words),
                // What the stop withdrew was said later.
                told.stop().stream()
                    .filter(_ -> now.state() == RunState.CANCELLED)
                    .flatMap(stop -> stop.left().stream()))
            .toList();
    var updates = new ArrayList<Update>();
    if (entered || shows(now, before)) {
      updates.add(status(told, now, at));
    }
    var asksAnew =
        now.state() == RunState.BLOCKED && (entered || !now.message().equals(before.message()));
    if (before.state() == RunState.BLOCKED
        && !told.reopened()
        && !before.equals(now)
        && (asksAnew || now.state() != RunState.BLOCKED)) {
      updates.add(
          new Update.QuestionClosed(
              before,
              before.message().orElse(Update.NO_QUESTION),
              Optional.empty(),
              Optional.empty()));
    }
    // Before the end, which notifies.
    for (var number = 1; number <= now.files().size(); number++) {
      var file = now.files().get(number - 1);
      if (!known.contains(file)) {
        updates.add(new Update.FileMade(now, told.requester(), file, number));
      }
    }
    switch (now.state()) {
      case BLOCKED -> {
        if (asksAnew) {
          updates.add(
              new Update.Blocked(now, told.requester(), now.message().orElse(Update.NO_QUESTION)));
        }
      }
      case SUCCEEDED -> {
        if (entered) {
          updates.add(new Update.Succeeded(now, told.requester(), told.since(), at));
        }
      }
      case FAILED -> {
        if (entered) {
          updates.add(
              new Update.Failed(
                  now,
                  told.requester(),
                  now.message().orElse("The service did not say why."),
                  now.retryable()));
        }
      }
      case CANCELLED -> {
        if (entered) {
          updates.add(
              new Update.Cancelled(
                  now,
                  told.requester(),
                  told.stop().map(stopRequest -> stopRequest.doneAt(at)),
                  unread));
        }
      }
      case QUEUED, RUNNING, UNKNOWN -> {}
    }
    if (entered) {
      sign(told, now).ifPresent(updates::add);
    }
    if (!unread.isEmpty() && !(entered && now.state() == RunState.CANCELLED)) {
      updates.add(
          new Update.Told(
              told.requester(), StopTexts.unread(unread, UnaryOperator.identity()), false));
    }
    replied.read().forEach(reply -> sign(reply, MessageStatus.DELIVERED, updates));
    replied.unread().forEach(reply -> sign(reply, MessageStatus.CANCELLED, updates));
    return updates;
  }

  private static void sign(PendingReply reply, MessageStatus messageStatus, List<Update> updates) {
    reply.messages().forEach(message -> updates.add(new Update.Received(message, messageStatus)));
  }

  /// The status post; while a stop is pending, with its request.
  public static Update.Status status(Binding told, Run now, Instant at) {
    return new Update.Status(
        now,
        told.requester(),
        told.request(),
        told.since(),
        at,
        now.state().isTerminal() ? Optional.empty() : told.stop());
  }

  /// The status reaction on the message that asked for the run.
  private static Optional<Update> sign(Binding told, Run now) {
    return told.origin()
        .message()
        .flatMap(
            message ->
                MessageStatus.of(now.state())
                    .map(messageStatus -> new Update.Received(message, messageStatus)));
  }

  /// Whether `now` is the older state: a list page may arrive after a newer state was read.
  private static boolean isOlder(Run now, Run before) {
    return now.updatedAt().isPresent()
        && before.updatedAt().isPresent()
        && now.updatedAt().get().isBefore(before.updatedAt().get());
  }

  /// Whether a follow-up was accepted but the run has not left its end or its question yet.
  private static boolean endsAgainOnlyByName(Binding told, Run now) {
    return told.reopened()
        && (now.state().isTerminal() || now.state().needsPerson())
        && now.updatedAt().equals(told.run().updatedAt())
        && (now.updatedAt().isPresent() || !shows(now, told.run()));
  }

  private static boolean shows(Run now, Run before) {
    return !now.message().equals(before.message())
        || !now.session().equals(before.session())
        || !now.artifacts().equals(before.artifacts())
        || !now.files().equals(before.files())
        || !now.cost().equals(before.cost())
        || !Objects.equals(now.title(), before.title());
  }
}
