package dev.runnel.core.dispatch;

import dev.runnel.core.decide.IntentResolver;
import dev.runnel.core.decide.Planner;
import dev.runnel.core.decide.PullRequestFollowUps;
import dev.runnel.core.decide.PullRequestStateUpdates;
import dev.runnel.core.decide.RunSubscribers;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Pending;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.recovery.OutageRecovery;
import dev.runnel.core.recovery.StartFreeze;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Takes the next delivery of a conversation from the queue, with the state that its plan needs.
/// Postpones those that must wait, and resolves events of platforms.
record DueDeliveries(
    Store store,
    IntentResolver intents,
    LinkResolver linkResolver,
    ListeningPolicy listeningPolicy,
    PullRequestFollowUps pullRequestFollowUps) {
  private static final int MAX_RUNS_IN_PLACE = 20;
  private static final Duration MAX_THREAD_OPENING = Duration.ofSeconds(10);
  private static final Duration THREAD_OPENING_DELAY = Duration.ofMillis(500);

  /// A delivery that was taken from the queue.
  ///
  /// @param isOvertakenByStop whether a stop that was sent later was processed before it
  record Next(DeliveryAttempt attempt, Planner.Situation situation, boolean isOvertakenByStop) {}

  Optional<Next> take(Conversation conversation, Instant now) {
    return store.commit(
        work -> {
          var next = work.inbox().next(conversation, now);
          while (next.isPresent() && isHandledWithoutAttempt(work, next.get(), now)) {
            next = work.inbox().next(conversation, now);
          }
          return next.map(
              pending -> {
                work.inbox().begin(pending.item().id());
                var delivery = intents.resolved(work, linkResolver.resolved(work, pending.item()));
                var parts = work.inbox().joined(pending.item().id());
                var attempt = new DeliveryAttempt(delivery, parts, pending.tries(), now);
                return new Next(
                    attempt, situation(work, delivery), isOvertakenByStop(work, attempt));
              });
        });
  }

  /// Whether a stop that was sent later was processed first. Deliveries may arrive out of order,
  /// but the platform reports when each was sent.
  private static boolean isOvertakenByStop(Work work, DeliveryAttempt attempt) {
    var at = attempt.delivery().snapshot().at();
    return !attempt.isRetry()
        && at.isPresent()
        && attempt.delivery().intent().agentRequest().isPresent()
        && work.inbox().stops(attempt.conversation()).stream()
            .flatMap(stop -> stop.snapshot().at().stream())
            .anyMatch(stopped -> stopped.isAfter(at.get()));
  }

  /// Whether the delivery was postponed, finished or replaced without an attempt.
  private boolean isHandledWithoutAttempt(Work work, Pending<Delivery> next, Instant now) {
    return isPostponed(work, next, now) || isResolvedEvent(work, next.item(), now);
  }

  private boolean isPostponed(Work work, Pending<Delivery> next, Instant now) {
    var delivery = next.item();
    if (isThreadOpening(work, delivery, now)) {
      work.inbox()
          .postpone(delivery.id(), now.plus(THREAD_OPENING_DELAY), "Its thread is being opened");
      return true;
    }
    var held = holdReason(work, delivery);
    if (held.isPresent()) {
      work.inbox()
          .postpone(
              delivery.id(),
              OutageRecovery.nextCheck(now),
              held.get(),
              delivery.conversation().surface().value());
      return true;
    }
    var until = listeningPolicy.batchUntil(work, next, now);
    until.ifPresent(at -> work.inbox().postpone(delivery.id(), at, "More may follow"));
    return until.isPresent();
  }

  /// Whether it is an event of a platform that was replaced by another delivery, or finished.
  private boolean isResolvedEvent(Work work, Delivery delivery, Instant now) {
    return switch (delivery.intent()) {
      case Intent.PullRequestNeeds needs -> {
        var isMuted =
            PullRequestFollowUps.pullRequest(work, needs)
                .flatMap(it -> PullRequestFollowUps.binding(work, it))
                .filter(it -> ListeningPolicy.isMuted(work, it.conversation()))
                .isPresent();
        if (StartFreeze.isOn(work) && pullRequestFollowUps.restartsRun(work, needs, isMuted)) {
          // Here, not in the run's thread, where people's messages would wait behind it.
          StartFreeze.hold(work, delivery, now);
        } else {
          replaceOrFinish(
              work, delivery, pullRequestFollowUps.toFollowUp(work, delivery, needs, isMuted));
        }
        yield true;
      }
      case Intent.PullRequestChanged changed -> {
        replaceOrFinish(
            work, delivery, PullRequestStateUpdates.apply(work, delivery, changed, now));
        yield true;
      }
      case Intent.StopAt(var post) -> {
        var stop = ReactionTargets.stop(work, delivery, post);
        stop.ifPresent(work.inbox()::replace);
        yield stop.isPresent();
      }
      case Intent.ForAgent _,
          Intent.RunCommand _,
          Intent.GeneralCommand _,
          Intent.Amend _,
          Intent.Link _,
          Intent.Linked _,
          Intent.Help _,
          Intent.Unclear _ ->
          false;
    };
  }

  private static void replaceOrFinish(
      Work work, Delivery delivery, Optional<Delivery> replacement) {
    replacement.ifPresentOrElse(work.inbox()::replace, () -> work.inbox().done(delivery.id()));
  }

  /// The reason why its surface is on hold, if it is. A stop may not need the platform, and is
  /// attempted anyway.
  private static Optional<String> holdReason(Work work, Delivery delivery) {
    return delivery.intent().overtakes()
        ? Optional.empty()
        : OutageRecovery.held(work, delivery.conversation().surface());
  }

  /// Whether it may be a reply in a thread that is being opened: the first post exists, but the
  /// start that it was posted for has not moved to the thread yet.
  private static boolean isThreadOpening(Work work, Delivery delivery, Instant now) {
    return delivery.origin().replyTo().isEmpty()
        && !delivery.origin().opensThread()
        && delivery.arrivedAt().plus(MAX_THREAD_OPENING).isAfter(now)
        && work.bindings().of(delivery.conversation()).isEmpty()
        // A stop of the start that is queued here is not a reply.
        && work.inbox().waiting(delivery.conversation()).stream()
            .noneMatch(each -> each.item().origin().opensThread())
        && work.inbox().waitingInPlace(delivery.conversation()).stream()
            .anyMatch(
                each ->
                    each.tries() > 0
                        && each.item().origin().opensThread()
                        && !each.item().arrivedAt().isAfter(delivery.arrivedAt()));
  }

  private static Planner.Situation situation(Work work, Delivery delivery) {
    var conversation = delivery.conversation();
    return new Planner.Situation(
        own(work, delivery),
        delivery.intent().namedRun().flatMap(run -> work.bindings().of(run)),
        // A command from a place has no thread of its own; it concerns the runs of the place.
        // The answer to an ambiguous text shows the person's runs.
        delivery.origin().replyTo().isPresent() || delivery.intent() instanceof Intent.Unclear
            ? work.bindings()
                .recent(
                    Optional.of(conversation.surface()), conversation.place(), MAX_RUNS_IN_PLACE)
            : List.of(),
        waiting(work, delivery));
  }

  /// The binding of the thread's current run, or, on a pull request, of the run that opened it. If
  /// only an earlier run of the thread is active, a stop refers to that one.
  private static Optional<Binding> own(Work work, Delivery delivery) {
    var current = RunSubscribers.runOf(work, delivery);
    return current.isPresent()
            && !current.get().isActive()
            && delivery.intent() instanceof Intent.Cancel(var run, _)
            && run.isEmpty()
        ? work.bindings().active().stream()
            .filter(each -> each.conversation().equals(delivery.conversation()))
            .findFirst()
            .or(() -> current)
        : current;
  }

  /// The person's newest queued start that a stop from a place may refer to; empty if something is
  /// queued in the stop's own conversation, which has priority.
  private static Optional<Conversation> waiting(Work work, Delivery delivery) {
    if (!(delivery.intent() instanceof Intent.Cancel(var run, _))
        || run.isPresent()
        || delivery.origin().replyTo().isEmpty()
        || !work.inbox().waiting(delivery.conversation()).isEmpty()) {
      return Optional.empty();
    }
    return work.inbox().waitingInPlace(delivery.conversation()).stream()
        .map(Pending::item)
        .filter(each -> each.intent() instanceof Intent.Start)
        .filter(each -> each.actor().id().equals(delivery.actor().id()))
        .filter(each -> !each.isSentAfter(delivery))
        .map(Delivery::conversation)
        .reduce((_, newer) -> newer);
  }
}
