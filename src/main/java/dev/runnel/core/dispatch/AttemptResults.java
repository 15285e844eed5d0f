package dev.runnel.core.dispatch;

import dev.runnel.core.decide.Changes;
import dev.runnel.core.decide.RetrySchedule;
import dev.runnel.core.decide.RunSubscribers;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.MessageStatus;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.NoticeId;
import dev.runnel.core.model.Outcome;
import dev.runnel.core.model.Run;
import dev.runnel.core.model.Update;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.recovery.Recovery;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a turn ends in: done, later, parked; and how a binding is written that others write too.
final class AttemptResults {
  private static final Logger log = LoggerFactory.getLogger(AttemptResults.class);
  /// How long something is put off before people are told so in words.
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final int TRIES_OF_A_BREAKING_ONE = 10;
  private static final Duration GIVE_UP = Duration.ofHours(24);

  private final Store store;
  private final RetrySchedule retries;
  private final Recovery recovery;

  AttemptResults(Store store, RetrySchedule retries, Recovery recovery) {
    this.store = store;
    this.retries = retries;
    this.recovery = recovery;
  }

  /// Done: keeps the result and the end of the delivery in one commit.
  ///
  /// @return false when another node has taken the turn over, and nothing was kept
  boolean complete(DeliveryAttempt turn, Consumer<Work> result) {
    return commitIfOwned(
        turn,
        work -> {
          result.accept(work);
          work.inbox().note(turn.delivery().id(), turn.note());
          end(work, turn);
        });
  }

  /// What was said together ends together; only a delivery that was put off may have been told so.
  private static void end(Work work, DeliveryAttempt turn) {
    work.inbox().done(turn.delivery().id());
    endParts(work, turn);
    ScreenBuilder.refreshHome(work, turn);
  }

  private static void endParts(Work work, DeliveryAttempt turn) {
    turn.parts().forEach(part -> work.inbox().done(part.id()));
    if (turn.again()) {
      work.outbox().withdraw(kept(turn.delivery()));
    }
  }

  /// The notice that says that a delivery is kept.
  static NoticeId kept(Delivery delivery) {
    return new NoticeId("kept:" + delivery.id());
  }

  /// Keeps a result of the turn, if it is still ours. A node that was stopped for long may have
  /// been taken for dead; what it says then was said by another.
  ///
  /// @return whether it is
  boolean commitIfOwned(DeliveryAttempt turn, Consumer<Work> result) {
    try {
      change(
          work -> {
            if (!work.inbox().holds(turn.delivery().id(), turn.conversation(), turn.tries() + 1)) {
              throw new TakenOver();
            }
            result.accept(work);
          });
      return true;
    } catch (TakenOver _) {
      log.warn("turn was taken over delivery={}", turn.delivery().id());
      return false;
    }
  }

  /// Keeps the delivery until the run service answers. When that has taken a while the person is
  /// told, once.
  ///
  /// @return when its next turn is at the latest; now, if there is none
  Instant retryLater(DeliveryAttempt turn, Optional<Duration> after, String why) {
    return retryLater(turn, after, why, Recovery.RUNS, true);
  }

  /// The same until its platform answers.
  void untilThePlatformAnswers(DeliveryAttempt turn, Optional<Duration> after, String why) {
    var _ = retryLater(turn, after, why, platform(turn, after), true);
  }

  private String platform(DeliveryAttempt turn, Optional<Duration> after) {
    var platform = turn.conversation().surface().value();
    if (after.isEmpty()) {
      recovery.failed(platform);
    }
    return platform;
  }

  /// The same, and nobody is told: whoever said it may be a stranger, who must not make us talk.
  void silentlyLater(DeliveryAttempt turn, Optional<Duration> after, String why) {
    var _ = retryLater(turn, after, why, platform(turn, after), false);
  }

  /// @param service what it waits for, unless it was asked to wait for a time
  private Instant retryLater(
      DeliveryAttempt turn, Optional<Duration> after, String why, String service, boolean isTold) {
    var delivery = turn.delivery();
    if (Duration.between(delivery.arrivedAt(), turn.now()).compareTo(GIVE_UP) > 0) {
      log.error("delivery parked delivery={} why={}", delivery.id(), why);
      commitIfOwned(
          turn,
          work -> {
            work.inbox().park(delivery.id(), why);
            endParts(work, turn);
            if (isTold) {
              turn.sign(work, MessageStatus.REFUSED);
              turn.tellAll(
                  work,
                  "This could not be done for a whole day, so I gave up. Please say it again.");
            }
          });
      return turn.now();
    }
    var wait = retries.after(turn.tries() + 1, after);
    log.warn(
        "delivery waits delivery={} try={} wait={} why={}",
        delivery.id(),
        turn.tries() + 1,
        wait,
        why);
    commitIfOwned(
        turn,
        work -> {
          if (after.isEmpty()) {
            work.inbox().later(delivery.id(), turn.now().plus(wait), why, service);
          } else {
            work.inbox().later(delivery.id(), turn.now().plus(wait), why);
          }
          if (isTold && !turn.again()) {
            putOff(work, turn);
          }
        });
    return turn.now().plus(wait);
  }

  /// The sign that it waits comes at once, the words only where it waits for long.
  private static void putOff(Work work, DeliveryAttempt turn) {
    var delivery = turn.delivery();
    if (delivery.intent().words().isPresent()) {
      turn.sign(work, MessageStatus.QUEUED);
    }
    if (!delivery.origin().opensThread()) {
      var text =
          delivery.intent() instanceof Intent.Cancel
              ? "The run service cannot be reached just now. The stop is kept, and goes first as"
                  + " soon as it is back."
              : "The run service cannot be reached just now. Your message is kept, and goes on"
                  + " as soon as it is back.";
      work.outbox()
          .addAt(
              delivery.arrivedAt().plus(PATIENCE),
              new Notice(
                  kept(delivery),
                  delivery.conversation(),
                  new Update.Told(delivery.actor(), text, false),
                  delivery.origin(),
                  turn.now(),
                  0));
    }
  }

  /// Keeps the delivery until its platform accepts our credential again, however long that takes.
  void hold(DeliveryAttempt turn, String why) {
    var delivery = turn.delivery();
    var surface = turn.conversation().surface();
    commitIfOwned(
        turn,
        work -> {
          Recovery.hold(work, surface, why, turn.now());
          work.inbox().later(delivery.id(), Recovery.nextLook(turn.now()), why, surface.value());
        });
  }

  /// Keeps the delivery, untried, until the platform takes it.
  void untilItsTurn(DeliveryAttempt turn, Instant at) {
    commitIfOwned(
        turn,
        work -> {
          if (!turn.again()) {
            work.inbox().replace(turn.delivery());
          }
          work.inbox().later(turn.delivery().id(), at, "The platform asked to slow down");
        });
  }

  /// What is known of an earlier try to say something to a run.
  ///
  /// @param before the run as it was read before the first try
  /// @param said how often its conversation had said the same
  record EarlierTry(Run before, int said) {}

  /// Empty when nothing was attempted.
  Optional<EarlierTry> earlierTry(DeliveryAttempt turn) {
    return turn.again()
        ? store.commit(
            work ->
                work.inbox()
                    .seen(turn.delivery().id())
                    .map(run -> new EarlierTry(run, work.inbox().saidBefore(turn.delivery()))))
        : Optional.empty();
  }

  /// A final no of the run service, said in the thread.
  void refuse(DeliveryAttempt turn, Outcome.Refused refused) {
    refuse(turn, refused, _ -> {});
  }

  /// @param more what else to keep of it
  void refuse(DeliveryAttempt turn, Outcome.Refused refused, Consumer<Work> more) {
    log.info(
        "run service refused delivery={} conversation={} code={}",
        turn.delivery().id(),
        turn.conversation(),
        refused.code());
    var text = refused.why() + refused.link().map(link -> "\n" + link).orElse("");
    complete(
        turn,
        work -> {
          turn.sign(work, MessageStatus.REFUSED);
          more.accept(work);
          turn.tellAll(work, text);
        });
  }

  void gone(DeliveryAttempt turn) {
    complete(
        turn,
        work -> {
          turn.sign(work, MessageStatus.REFUSED);
          turn.tell(work, "The run service no longer has this run.");
        });
  }

  void parkDisabled(DeliveryAttempt turn) {
    log.warn("delivery parked, its surface is off delivery={}", turn.delivery().id());
    commitIfOwned(
        turn,
        work -> {
          work.inbox().park(turn.delivery().id(), "The surface is turned off.");
          endParts(work, turn);
        });
  }

  /// A delivery that breaks us is tried a few times more, and then parked.
  void handleBug(DeliveryAttempt turn, RuntimeException broken) {
    var delivery = turn.delivery();
    log.error("delivery broke us delivery={} try={}", delivery.id(), turn.tries() + 1, broken);
    commitIfOwned(
        turn,
        work -> {
          if (turn.tries() + 1 < TRIES_OF_A_BREAKING_ONE) {
            work.inbox()
                .later(
                    delivery.id(),
                    turn.now().plus(retries.after(turn.tries() + 1, Optional.empty())),
                    broken.toString());
          } else {
            work.inbox().park(delivery.id(), broken.toString());
            endParts(work, turn);
            turn.sign(work, MessageStatus.REFUSED);
            turn.tellAll(
                work,
                "Something went wrong on my side, and trying again did not help. The people who"
                    + " run me can see it in the log.");
          }
        });
  }

  /// Two nodes may write one binding at the same moment; nothing of a step that lost is kept,
  /// and it is made again.
  void change(Consumer<Work> step) {
    for (var kept = false; !kept; ) {
      try {
        store.change(step);
        kept = true;
      } catch (LostCompare _) {
        log.debug("binding was written by another meanwhile");
      }
    }
  }

  private static final class TakenOver extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private static final class LostCompare extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  static void save(Work work, Binding binding) {
    if (!work.bindings().save(binding)) {
      throw new LostCompare();
    }
  }

  static void tellChanges(Work work, DeliveryAttempt turn, Binding binding, Run run) {
    current(work, binding)
        .ifPresent(
            current -> {
              var updates = Changes.between(current, run, turn.now());
              RunSubscribers.tell(work, current, updates, turn.now());
              if (!updates.isEmpty()) {
                save(work, current.seen(run));
              }
            });
  }

  /// The binding as it is now, if its run is still the conversation's: its current or an earlier
  /// one.
  static Optional<Binding> current(Work work, Binding binding) {
    return work.bindings()
        .of(binding.run().id())
        .filter(current -> current.conversation().equals(binding.conversation()));
  }

  /// The follow-up that reopened the run was needless.
  static void watchNoMore(Work work, Binding current) {
    if (current.reopened()) {
      save(work, current.seen(current.run()));
    }
  }
}
