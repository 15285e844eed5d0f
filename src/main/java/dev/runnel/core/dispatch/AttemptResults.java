package dev.runnel.core.dispatch;

import dev.runnel.core.decide.AuditTrail;
import dev.runnel.core.decide.RetryPolicy;
import dev.runnel.core.decide.RunSubscribers;
import dev.runnel.core.decide.RunUpdates;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.port.RunChangeListener;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.recovery.OutageRecovery;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.core.text.RunTexts;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Stores the result of a delivery attempt: done, retried later or parked. Repeats updates of
/// bindings that conflict with a concurrent write.
record AttemptResults(
    Store store, RetryPolicy retries, OutageRecovery recovery, RunChangeListener listener) {
  private static final Logger log = LoggerFactory.getLogger(AttemptResults.class);

  /// After this delay, a message tells people that their delivery waits.
  static final Duration REPORT_DELAY_AFTER = Duration.ofSeconds(30);

  private static final int MAX_READ_RETRIES = 3;

  /// Stores the result and the end of the delivery in one commit.
  ///
  /// @return false if another node has taken the delivery over, and nothing was stored
  boolean complete(DeliveryAttempt attempt, Consumer<Work> result) {
    return commitIfOwned(
        attempt,
        work -> {
          result.accept(work);
          work.inbox().note(attempt.delivery().id(), attempt.note());
          audit(work, attempt);
          end(work, attempt);
        });
  }

  private static void audit(Work work, DeliveryAttempt attempt) {
    attempt
        .ruling()
        .ifPresent(
            ruling ->
                Stream.concat(Stream.of(attempt.delivery()), attempt.parts().stream())
                    .forEach(
                        each -> AuditTrail.add(work, each, ruling, attempt.note(), attempt.now())));
  }

  /// Messages that were sent together are finished together. Only a delayed delivery may have a
  /// notice about the delay.
  private static void end(Work work, DeliveryAttempt attempt) {
    work.inbox().done(attempt.delivery().id());
    reportNotStarted(work, attempt);
    endParts(work, attempt);
    ScreenBuilder.refreshHome(work, attempt);
  }

  /// Tells a sender who waits for a run that none starts. The reason, if it is posted, comes first.
  static void reportNotStarted(Work work, DeliveryAttempt attempt) {
    var origin = attempt.delivery().origin();
    if (origin.awaitsRun()
        && work.bindings()
            .of(attempt.conversation())
            .filter(it -> it.origin().equals(origin))
            .isEmpty()) {
      attempt.respond(work, "No run was started.");
    }
  }

  private static void endParts(Work work, DeliveryAttempt attempt) {
    attempt.parts().forEach(part -> work.inbox().done(part.id()));
    if (attempt.isRetry()) {
      work.outbox().withdraw(delayNotice(attempt.delivery()));
    }
  }

  /// The id of the notice that the delivery is delayed.
  static NoticeId delayNotice(Delivery delivery) {
    return new NoticeId("kept:" + delivery.id());
  }

  /// Stores a result if this attempt still owns the delivery. A node that was paused for long may
  /// have been considered dead, and another node may have processed the delivery.
  ///
  /// @return whether the attempt still owned the delivery
  boolean commitIfOwned(DeliveryAttempt attempt, Consumer<Work> result) {
    try {
      change(
          work -> {
            if (!work.inbox()
                .isOwner(attempt.delivery().id(), attempt.conversation(), attempt.tries() + 1)) {
              throw new TakenOver();
            }
            result.accept(work);
          });
      return true;
    } catch (TakenOver _) {
      log.warn("delivery taken over by another node delivery={}", attempt.delivery().id());
      return false;
    }
  }

  /// Retries the delivery when the run service responds. If that takes longer than
  /// [#REPORT_DELAY_AFTER], one message reports it.
  ///
  /// @return the latest time of the next attempt; now, if there is none
  Instant retryLater(DeliveryAttempt attempt, Optional<Duration> after, String why) {
    return retryLater(attempt, after, why, OutageRecovery.RUNS, true);
  }

  /// Retries the delivery when its platform responds.
  void retryWithPlatform(DeliveryAttempt attempt, Optional<Duration> after, String why) {
    var _ = retryLater(attempt, after, why, failedPlatform(attempt, after), true);
  }

  /// Retries a delivery whose platform cannot be read now: a few times, but always after the delay
  /// that the platform asks for.
  ///
  /// @return false if there were enough attempts: the delivery continues without what was not read
  boolean retryReading(DeliveryAttempt attempt, Optional<Duration> after, String why) {
    if (after.isEmpty() && attempt.tries() >= MAX_READ_RETRIES) {
      return false;
    }
    retryWithPlatform(attempt, after, why);
    return true;
  }

  private String failedPlatform(DeliveryAttempt attempt, Optional<Duration> after) {
    var platform = attempt.conversation().surface().value();
    if (after.isEmpty()) {
      recovery.failed(platform);
    }
    return platform;
  }

  /// The same without a post, because the sender may be a stranger, who must not be able to trigger
  /// posts.
  void retrySilently(DeliveryAttempt attempt, Optional<Duration> after, String why) {
    var _ = retryLater(attempt, after, why, failedPlatform(attempt, after), false);
  }

  /// @param service the service whose recovery makes it due, unless the service asked for a fixed
  ///   wait
  private Instant retryLater(
      DeliveryAttempt attempt,
      Optional<Duration> after,
      String why,
      String service,
      boolean isReported) {
    var delivery = attempt.delivery();
    var next = retries.afterOutage(attempt.tries() + 1, delivery.arrivedAt(), after, attempt.now());
    if (next.isEmpty()) {
      log.error(
          "delivery parked delivery={} error={} why={}", delivery.id(), errorId(delivery), why);
      commitIfOwned(
          attempt,
          work -> {
            giveUp(work, attempt, why);
            if (isReported) {
              attempt.react(work, MessageStatus.REFUSED);
              attempt.respondToAll(
                  work,
                  ("%s This failed for a whole day, so I gave up (error `%s`). Send it again, or"
                          + " ask your admin to retry it under Attention, not both.")
                      .formatted(cause(service, after), errorId(delivery)));
            }
          });
      return attempt.now();
    }
    var at = next.get();
    log.warn(
        "delivery waits delivery={} try={} wait={} why={}",
        delivery.id(),
        attempt.tries() + 1,
        Duration.between(attempt.now(), at),
        why);
    commitIfOwned(
        attempt,
        work -> {
          if (after.isEmpty()) {
            work.inbox().postpone(delivery.id(), at, why, service);
          } else {
            work.inbox().postpone(delivery.id(), at, why);
          }
          if (isReported && !attempt.isRetry()) {
            reportDelay(work, attempt, cause(service, after));
          }
        });
    return at;
  }

  /// Parks the delivery; a person may retry it. A start is then counted again.
  private static void giveUp(Work work, DeliveryAttempt attempt, String why) {
    work.inbox().park(attempt.delivery().id(), why);
    StartControl.forget(work, attempt);
    undoReopening(work, attempt.delivery());
    reportNotStarted(work, attempt);
    endParts(work, attempt);
  }

  /// Sets the reaction for a queued message at once; posts a message only after a long delay.
  private static void reportDelay(Work work, DeliveryAttempt attempt, String cause) {
    var delivery = attempt.delivery();
    if (delivery.intent().agentRequest().isPresent()) {
      attempt.react(work, MessageStatus.QUEUED);
    }
    if (!delivery.origin().opensThread()) {
      var text =
          cause
              + (delivery.intent() instanceof Intent.Cancel
                  ? " The stop is queued, ahead of everything else, and takes effect as soon as"
                      + " possible."
                  : " Your message is queued, and is processed as soon as possible.");
      work.outbox()
          .addAt(
              delivery.arrivedAt().plus(REPORT_DELAY_AFTER),
              new Notice(
                  delayNotice(delivery),
                  delivery.conversation(),
                  new Update.Message(delivery.actor(), text, false),
                  delivery.origin(),
                  attempt.now(),
                  0));
    }
  }

  /// What a delivery waits for, in words for people: the reason itself may name addresses and
  /// errors for developers.
  ///
  /// @param after the delay that the service asks for
  private static String cause(String service, Optional<Duration> after) {
    if (service.equals(OutageRecovery.RUNS)) {
      return after.isPresent()
          ? "The run service asks me to wait."
          : "The run service cannot be reached right now.";
    }
    return after.isPresent()
        ? "The platform asks me to wait."
        : "The platform cannot be read right now.";
  }

  /// Postpones the delivery until the platform accepts our credential again.
  void hold(DeliveryAttempt attempt, SurfaceId surface, String why) {
    var delivery = attempt.delivery();
    commitIfOwned(
        attempt,
        work -> {
          OutageRecovery.hold(work, surface, why, attempt.now());
          work.inbox()
              .postpone(
                  delivery.id(), OutageRecovery.nextCheck(attempt.now()), why, surface.value());
        });
  }

  /// Postpones the delivery to the time reserved under the platform's rate limit. A first attempt
  /// is not counted.
  void postpone(DeliveryAttempt attempt, Instant at) {
    commitIfOwned(
        attempt,
        work -> {
          if (!attempt.isRetry()) {
            work.inbox().replace(attempt.delivery());
          }
          work.inbox().postpone(attempt.delivery().id(), at, "The platform asked to slow down");
        });
  }

  /// An earlier attempt to send a follow-up.
  ///
  /// @param before the run as read before the first attempt
  /// @param timesSent how often the same text was sent from its conversation before
  record EarlierTry(Run before, int timesSent) {}

  /// Empty if nothing was attempted.
  Optional<EarlierTry> earlierTry(DeliveryAttempt attempt) {
    return attempt.isRetry()
        ? store.commit(
            work ->
                work.inbox()
                    .runBefore(attempt.delivery().id())
                    .map(
                        run -> new EarlierTry(run, work.inbox().countSameText(attempt.delivery()))))
        : Optional.empty();
  }

  /// Posts the run service's permanent refusal in the thread.
  void refuse(DeliveryAttempt attempt, Outcome.Refused refused) {
    refuse(attempt, refused, _ -> {});
  }

  /// @param more further changes for the same commit
  void refuse(DeliveryAttempt attempt, Outcome.Refused refused, Consumer<Work> more) {
    log.info(
        "run service refused delivery={} conversation={} code={}",
        attempt.delivery().id(),
        attempt.conversation(),
        refused.code());
    var text = refused.why() + refused.link().map(link -> "\n" + link).orElse("");
    complete(
        attempt.noting(attempt.note() + "; the run service refused it: " + refused.code()),
        work -> {
          attempt.react(work, MessageStatus.REFUSED);
          more.accept(work);
          attempt.respondToAll(work, text);
        });
  }

  void reportMissingRun(DeliveryAttempt attempt) {
    complete(
        attempt,
        work -> {
          attempt.react(work, MessageStatus.REFUSED);
          attempt.respond(work, RunTexts.GONE);
        });
  }

  void parkDisabled(DeliveryAttempt attempt) {
    log.warn("delivery parked, surface is turned off delivery={}", attempt.delivery().id());
    commitIfOwned(
        attempt,
        work -> {
          work.inbox().park(attempt.delivery().id(), Surfaces.NOT_CONNECTED);
          endParts(work, attempt);
        });
  }

  /// Retries a delivery that caused an unexpected error a few times, then parks it.
  void handleBug(DeliveryAttempt attempt, RuntimeException error) {
    var delivery = attempt.delivery();
    log.error(
        "unexpected error delivery={} try={} error={}",
        delivery.id(),
        attempt.tries() + 1,
        errorId(delivery),
        error);
    commitIfOwned(
        attempt,
        work -> {
          var next = retries.afterError(attempt.tries() + 1, attempt.now());
          if (next.isPresent()) {
            work.inbox().postpone(delivery.id(), next.get(), error.toString());
          } else {
            giveUp(work, attempt, error.toString());
            attempt.react(work, MessageStatus.REFUSED);
            attempt.respondToAll(
                work,
                "Something broke on my side and retries failed. Tell your admin: error `%s`."
                    .formatted(errorId(delivery)));
          }
        });
  }

  /// A short id that people can quote and operators find in the log.
  private static String errorId(Delivery delivery) {
    return String.format(Locale.ROOT, "%08x", delivery.id().value().hashCode());
  }

  /// Two nodes may write one binding concurrently. The step that conflicts is rolled back and
  /// repeated.
  void change(Consumer<Work> step) {
    for (var isSaved = false; !isSaved; ) {
      try {
        store.change(step);
        isSaved = true;
      } catch (ConcurrentChange _) {
        log.debug("binding changed concurrently, trying again");
      }
    }
  }

  private static final class TakenOver extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private static final class ConcurrentChange extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  static void save(Work work, Binding binding) {
    if (!work.bindings().save(binding)) {
      throw new ConcurrentChange();
    }
  }

  void notifyChanges(Work work, DeliveryAttempt attempt, Binding binding, Run run) {
    current(work, binding)
        .ifPresent(
            current -> {
              var updates = RunUpdates.between(current, run, attempt.now());
              RunSubscribers.notifyAbout(work, current, updates, attempt.now());
              if (!updates.isEmpty()) {
                save(work, current.seen(run));
                AuditTrail.ended(work, current, run, attempt.now());
                listener.changed(current, run);
              }
            });
  }

  /// The binding's current version, if its run still belongs to the conversation, as the current
  /// run or an earlier one.
  static Optional<Binding> current(Work work, Binding binding) {
    return work.bindings()
        .of(binding.run().id())
        .filter(current -> current.conversation().equals(binding.conversation()));
  }

  /// The message that was to continue the run is given up on, so the run is as it was: people can
  /// answer its question again.
  private static void undoReopening(Work work, Delivery delivery) {
    work.inbox()
        .runBefore(delivery.id())
        .flatMap(run -> work.bindings().of(run.id()))
        .ifPresent(current -> undoReopening(work, current));
  }

  /// Undoes the reopening, because the follow-up did not restart the run.
  static void undoReopening(Work work, Binding current) {
    if (current.reopened()) {
      save(work, current.seen(current.run()));
    }
  }
}
