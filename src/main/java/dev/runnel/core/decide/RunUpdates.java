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
public final class RunUpdates {
  private RunUpdates() {}

  /// @return the status post first, then new posts; empty if nothing visible changed
  public static List<Update> between(Binding binding, Run now, Instant at) {
    var before = binding.run();
    if (isOlder(now, before) || hasNotResumed(binding, now)) {
      return List.of();
    }
    var isNewState = binding.reopened() || !now.stateName().equals(before.stateName());
    return updates(binding, now, isNewState, before.files(), at);
  }

  /// All updates about a run that was just bound; a short run may have ended already.
  public static List<Update> atFirst(Binding bound, Instant at) {
    return updates(bound, bound.run(), true, List.of(), at);
  }

  /// @param isNewState whether the run's state is new to the conversation
  /// @param posted the files that were posted before
  private static List<Update> updates(
      Binding binding, Run now, boolean isNewState, List<RunFile> posted, Instant at) {
    var before = binding.run();
    var replied = binding.repliesAt(now);
    var unread =
        Stream.concat(
                replied.unread().stream().map(PendingReply::words),
                // The messages that the stop withdrew were sent later.
                binding.stop().stream()
                    .filter(_ -> now.state() == RunState.CANCELLED)
                    .flatMap(stop -> stop.left().stream()))
            .toList();
    var updates = new ArrayList<Update>();
    if (isNewState || shows(now, before)) {
      updates.add(status(binding, now, at));
    }
    var asksNewQuestion =
        now.state() == RunState.BLOCKED && (isNewState || !now.message().equals(before.message()));
    if (before.state() == RunState.BLOCKED
        && !binding.reopened()
        && !before.equals(now)
        && (asksNewQuestion || now.state() != RunState.BLOCKED)) {
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
      if (!posted.contains(file)) {
        updates.add(new Update.FileMade(now, binding.requester(), file, number));
      }
    }
    switch (now.state()) {
      case BLOCKED -> {
        if (asksNewQuestion) {
          updates.add(
              new Update.Blocked(
                  now, binding.requester(), now.message().orElse(Update.NO_QUESTION)));
        }
      }
      case SUCCEEDED -> {
        if (isNewState) {
          updates.add(new Update.Succeeded(now, binding.requester(), binding.since(), at));
        }
      }
      case FAILED -> {
        if (isNewState) {
          updates.add(
              new Update.Failed(
                  now,
                  binding.requester(),
                  now.message().orElse("The service did not say why."),
                  now.retryable()));
        }
      }
      case CANCELLED -> {
        if (isNewState) {
          updates.add(
              new Update.Cancelled(
                  now,
                  binding.requester(),
                  binding.stop().map(stopRequest -> stopRequest.doneAt(at)),
                  unread));
        }
      }
      case QUEUED, RUNNING, UNKNOWN -> {}
    }
    if (isNewState) {
      reaction(binding, now).ifPresent(updates::add);
    }
    if (!unread.isEmpty() && !(isNewState && now.state() == RunState.CANCELLED)) {
      updates.add(
          new Update.Message(
              binding.requester(), StopTexts.unread(unread, UnaryOperator.identity()), false));
    }
    replied.read().forEach(reply -> reaction(reply, MessageStatus.DELIVERED, updates));
    replied.unread().forEach(reply -> reaction(reply, MessageStatus.CANCELLED, updates));
    return updates;
  }

  private static void reaction(
      PendingReply reply, MessageStatus messageStatus, List<Update> updates) {
    reply.messages().forEach(message -> updates.add(new Update.Received(message, messageStatus)));
  }

  /// The status post; while a stop is pending, with its request.
  public static Update.Status status(Binding binding, Run now, Instant at) {
    return new Update.Status(
        now,
        binding.requester(),
        binding.request(),
        binding.since(),
        at,
        now.state().isTerminal() ? Optional.empty() : binding.stop());
  }

  /// The status reaction on the message that asked for the run.
  private static Optional<Update> reaction(Binding binding, Run now) {
    return binding
        .origin()
        .message()
        .flatMap(
            message ->
                MessageStatus.of(now.state())
                    .map(messageStatus -> new Update.Received(message, messageStatus)));
  }

  /// Whether `now` is the older state: a page of a list may arrive after a newer state was read.
  private static boolean isOlder(Run now, Run before) {
    return now.updatedAt().isPresent()
        && before.updatedAt().isPresent()
        && now.updatedAt().get().isBefore(before.updatedAt().get());
  }

  /// Whether a follow-up was accepted but the run has not left its end or its question yet.
  private static boolean hasNotResumed(Binding binding, Run now) {
    return binding.reopened()
        && !now.state().isInProgress()
        && now.updatedAt().equals(binding.run().updatedAt())
        && (now.updatedAt().isPresent() || !shows(now, binding.run()));
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
