package dev.runnel.core.flow;

import dev.runnel.core.model.Actor;
import dev.runnel.core.model.Background;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.NoticeId;
import dev.runnel.core.model.Outcome;
import dev.runnel.core.model.Plan;
import dev.runnel.core.model.Posting;
import dev.runnel.core.model.Run;
import dev.runnel.core.model.RunId;
import dev.runnel.core.model.Update;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.BackgroundUnavailable;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Pending;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.port.Surface;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Works on what was said: from a delivery to its effect on runs.
///
/// Each delivery is worked on in three steps: its try is counted (one commit), the effect is made,
/// the result is kept (one commit). A delivery whose try was counted before looks first whether the
/// effect happened. Nothing is given up while the run service or the platform is down; a delivery
/// that breaks us again and again is parked.
public final class Dispatcher {
  private static final Logger log = LoggerFactory.getLogger(Dispatcher.class);
  private static final int NEARBY = 20;
  private static final int TRIES_FOR_BACKGROUND = 3;
  private static final int TRIES_BEFORE_WE_SAY_SO = 4;
  private static final int TRIES_OF_A_BREAKING_ONE = 10;
  private static final Duration GIVE_UP = Duration.ofHours(24);

  private final Store store;
  private final AgentRuns runs;
  private final Surfaces surfaces;
  private final Profiles profiles;
  private final RandomGenerator chance;
  private final RetrySchedule retries;

  public Dispatcher(
      Store store, AgentRuns runs, Surfaces surfaces, Profiles profiles, RandomGenerator chance) {
    this.store = store;
    this.runs = runs;
    this.surfaces = surfaces;
    this.profiles = profiles;
    this.chance = chance;
    this.retries = RetrySchedule.standard(chance);
  }

  /// Works on the conversation's deliveries that are due. Only one step at a time runs for a
  /// conversation.
  ///
  /// @return how many were worked on
  public int step(Conversation conversation, Instant now) {
    var count = 0;
    for (var turn = take(conversation, now); turn.isPresent(); turn = take(conversation, now)) {
      work(turn.get(), now);
      count++;
    }
    return count;
  }

  /// A delivery whose turn it is, its try counted.
  ///
  /// @param tries those before this one
  private record Turn(Delivery delivery, int tries, Planner.Situation situation) {
    boolean again() {
      return tries > 0;
    }

    Conversation conversation() {
      return delivery.conversation();
    }
  }

  private Optional<Turn> take(Conversation conversation, Instant now) {
    return store.commit(
        work ->
            work.inbox()
                .next(conversation, now)
                .map(
                    pending -> {
                      work.inbox().begin(pending.item().id());
                      return new Turn(
                          pending.item(), pending.tries(), situation(work, pending.item()));
                    }));
  }

  private static Planner.Situation situation(Work work, Delivery delivery) {
    var named =
        switch (delivery.intent()) {
          case Intent.Cancel(var run, _) -> run;
          case Intent.Status(var run) -> run;
          case Intent.Retry(var run) -> run;
          case Intent.Start _, Intent.Say _, Intent.ListRuns _, Intent.Help _, Intent.Unclear _ ->
              Optional.<RunId>empty();
        };
    var conversation = delivery.conversation();
    return new Planner.Situation(
        work.bindings().of(conversation),
        named.flatMap(run -> work.bindings().of(run)),
        // A command from a place has no thread of its own; it is about the runs around.
        delivery.origin().replyTo().isPresent()
            ? work.bindings()
                .recent(Optional.of(conversation.surface()), conversation.place(), NEARBY)
            : List.of(),
        waiting(work, delivery));
  }

  /// The newest start of the person that a stop from a place may mean; none where something waits
  /// in the stop's own conversation, because that is meant first.
  private static Optional<Conversation> waiting(Work work, Delivery delivery) {
    if (!(delivery.intent() instanceof Intent.Cancel(var run, _))
        || run.isPresent()
        || delivery.origin().replyTo().isEmpty()
        || !work.inbox().waiting(delivery.conversation()).isEmpty()) {
      return Optional.empty();
    }
    return work.inbox().waitingNear(delivery.conversation()).stream()
        .map(Pending::item)
        .filter(each -> each.intent() instanceof Intent.Start)
        .filter(each -> each.actor().id().equals(delivery.actor().id()))
        .filter(each -> !each.arrivedAt().isAfter(delivery.arrivedAt()))
        .map(Delivery::conversation)
        .reduce((_, newer) -> newer);
  }

  private void work(Turn turn, Instant now) {
    try {
      var plan = Planner.plan(turn.delivery(), turn.situation(), now);
      log.info(
          "delivery planned delivery={} conversation={} plan={} try={}",
          turn.delivery().id(),
          turn.conversation(),
          plan.getClass().getSimpleName(),
          turn.tries() + 1);
      switch (plan) {
        case Plan.OpenThread _ -> openThread(turn, now);
        case Plan.MoveTo(var conversation) -> moveTo(turn, conversation, now);
        case Plan.StartRun start -> start(turn, start, now);
        case Plan.FollowUp followUp -> followUp(turn, followUp, now);
        case Plan.CancelRun cancel -> cancel(turn, cancel, now);
        case Plan.Tell(var updates) -> tell(turn, updates, now);
        case Plan.Ignore _ -> ignore(turn, now);
      }
    } catch (RuntimeException broken) {
      breaks(turn, broken, now);
    }
  }

  private void openThread(Turn turn, Instant now) {
    var surface = surface(turn);
    if (surface.isEmpty()) {
      off(turn);
      return;
    }
    switch (surface.get().open(turn.delivery(), turn.again())) {
      case Posting.Posted(_, var thread) ->
          store.change(
              work -> {
                work.inbox().replace(turn.delivery().movedTo(thread));
              });
      case Posting.Later(var after, var why) -> later(turn, after, why, now);
      case Posting.Undeliverable(var why) ->
          finish(turn, work -> add(work, turn, told(turn, why), now));
    }
  }

  private void moveTo(Turn turn, Conversation conversation, Instant now) {
    store.change(
        work -> {
          work.inbox().replace(turn.delivery().movedTo(conversation));
          if (turn.delivery().intent() instanceof Intent.Retry) {
            add(work, turn, told(turn, "It goes on in its thread."), now);
          }
        });
  }

  private void start(Turn turn, Plan.StartRun start, Instant now) {
    if (turn.again()) {
      switch (runs.startedBy(turn.delivery().id())) {
        case Outcome.Done(var run) -> {
          started(turn, start, run, now);
          return;
        }
        case Outcome.Busy(var after, var why) -> {
          later(turn, after, why, now);
          return;
        }
        case Outcome.Refused(var code, var why, _) -> {
          later(turn, Optional.empty(), code + ": " + why, now);
          return;
        }
        case Outcome.Missing _ -> {}
      }
    }
    var resolved = profiles.resolve(start.request());
    if (resolved.isEmpty()) {
      finish(turn, work -> add(work, turn, told(turn, profiles.unknown(start.request())), now));
      return;
    }
    var surface = surface(turn);
    if (surface.isEmpty()) {
      off(turn);
      return;
    }
    Background background;
    try {
      background = surface.get().background(turn.delivery());
    } catch (BackgroundUnavailable unavailable) {
      if (turn.tries() < TRIES_FOR_BACKGROUND) {
        later(turn, Optional.empty(), String.valueOf(unavailable.getMessage()), now);
        return;
      }
      background = Background.NONE;
    }
    var prompt = Prompts.compose(turn.delivery(), resolved.get(), background, chance);
    switch (runs.start(prompt, turn.delivery().id())) {
      case Outcome.Done(var run) -> started(turn, start, run, now);
      case Outcome.Missing _ ->
          finish(
              turn,
              work ->
                  add(
                      work,
                      turn,
                      told(turn, "The run service does not know how to start runs."),
                      now));
      case Outcome.Refused refused -> refuse(turn, refused, now);
      case Outcome.Busy(var after, var why) -> later(turn, after, why, now);
    }
  }

  private void started(Turn turn, Plan.StartRun start, Run run, Instant now) {
    var delivery = turn.delivery();
    finish(
        turn,
        work -> {
          var binding =
              new Binding(
                  start.conversation(),
                  run,
                  delivery.actor(),
                  start.request(),
                  delivery.origin(),
                  Optional.empty(),
                  now,
                  false,
                  0);
          work.bindings().save(binding);
          received(work, turn, now);
          for (var update : Changes.atFirst(binding, now)) {
            add(work, start.conversation(), delivery, update, now);
          }
          if (!start.conversation().equals(delivery.conversation())) {
            add(work, turn, told(turn, "Started again in its thread."), now);
          }
        });
    log.info(
        "run started delivery={} conversation={} run={}",
        delivery.id(),
        start.conversation(),
        run.id());
  }

  /// The run is read first: an end that nobody told yet must be told before the follow-up reopens
  // it.
  private void followUp(Turn turn, Plan.FollowUp plan, Instant now) {
    var run = plan.binding().run().id();
    switch (runs.find(run)) {
      case Outcome.Done(var found) -> {
        catchUp(turn, plan.binding(), found, now);
        var ended = found.state().isTerminal();
        if (ended) {
          watchAgain(plan.binding(), found);
        }
        switch (runs.followUp(run, plan.request().text(), turn.delivery().id())) {
          case Outcome.Done(var read) -> followedUp(turn, plan.binding(), found, read, now);
          case Outcome.Missing _, Outcome.Refused _ when ended -> {
            watchNoMore(plan.binding());
            startAnew(turn, plan, now);
          }
          case Outcome.Missing _ -> gone(turn, now);
          case Outcome.Refused refused -> refuse(turn, refused, now);
          case Outcome.Busy(var after, var why) -> later(turn, after, why, now);
        }
      }
      case Outcome.Missing _ -> startAnew(turn, plan, now);
      case Outcome.Refused refused -> refuse(turn, refused, now);
      case Outcome.Busy(var after, var why) -> later(turn, after, why, now);
    }
  }

  /// Before the follow-up is attempted: should its answer be lost, the run's next end is told all
  /// the same.
  private void watchAgain(Binding binding, Run run) {
    change(
        work ->
            current(work, binding)
                .filter(current -> !current.isActive())
                .ifPresent(current -> save(work, current.reopenedAs(run))));
  }

  private void watchNoMore(Binding binding) {
    change(work -> current(work, binding).ifPresent(current -> watchNoMore(work, current)));
  }

  private static void watchNoMore(Work work, Binding current) {
    if (current.reopened()) {
      save(work, current.seen(current.run()));
    }
  }

  private void followedUp(Turn turn, Binding binding, Run before, Run read, Instant now) {
    // A service that knows the repeated request does not work on it again.
    var hadHappened =
        turn.again()
            && read.state().isTerminal()
            && read.updatedAt().isPresent()
            && read.updatedAt().equals(before.updatedAt());
    finish(
        turn,
        work -> {
          received(work, turn, now);
          if (hadHappened) {
            current(work, binding).ifPresent(current -> watchNoMore(work, current));
          }
        });
  }

  private void startAnew(Turn turn, Plan.FollowUp plan, Instant now) {
    start(turn, new Plan.StartRun(plan.binding().conversation(), plan.request()), now);
  }

  private void gone(Turn turn, Instant now) {
    finish(
        turn, work -> add(work, turn, told(turn, "The run service no longer has this run."), now));
  }

  /// Tells what was not told yet about a run that was just read.
  private void catchUp(Turn turn, Binding binding, Run run, Instant now) {
    change(
        work -> {
          tellChanges(work, turn, binding, run, now);
        });
  }

  private static void tellChanges(Work work, Turn turn, Binding binding, Run run, Instant now) {
    current(work, binding)
        .ifPresent(
            current -> {
              var updates = Changes.between(current, run, now);
              for (var update : updates) {
                add(work, current.conversation(), turn.delivery(), update, now);
              }
              if (!updates.isEmpty()) {
                save(work, current.seen(run));
              }
            });
  }

  /// The binding as it is now, if it is still about the same run.
  private static Optional<Binding> current(Work work, Binding binding) {
    return work.bindings()
        .of(binding.conversation())
        .filter(current -> current.run().id().equals(binding.run().id()));
  }

  private void cancel(Turn turn, Plan.CancelRun plan, Instant now) {
    var withdrawal = withdraw(turn, now);
    if (withdrawal == Withdrawal.NOT_NOW) {
      return;
    }
    switch (runs.cancel(plan.binding().run().id())) {
      case Outcome.Done(var run) ->
          finish(
              turn,
              work -> {
                received(work, turn, now);
                tellChanges(work, turn, plan.binding(), run, now);
                current(work, plan.binding())
                    .filter(current -> current.reopened() && run.state().isTerminal())
                    .ifPresent(
                        current -> {
                          watchNoMore(work, current);
                          var text =
                              withdrawal == Withdrawal.DONE
                                  ? "Stopped before it started."
                                  : "Nothing to stop: " + Words.state(current, now);
                          add(work, turn, told(turn, text), now);
                        });
              });
      case Outcome.Missing _ -> gone(turn, now);
      case Outcome.Refused refused -> refuse(turn, refused, now);
      case Outcome.Busy(var after, var why) -> later(turn, after, why, now);
    }
  }

  private void tell(Turn turn, List<Update> updates, Instant now) {
    var withdrawal =
        turn.delivery().intent() instanceof Intent.Cancel
            ? withdraw(turn, now)
            : Withdrawal.NOTHING;
    if (withdrawal == Withdrawal.NOT_NOW) {
      return;
    }
    finish(
        turn,
        work -> {
          if (withdrawal == Withdrawal.DONE) {
            add(work, turn, told(turn, "Stopped before it started."), now);
            return;
          }
          for (var update : updates) {
            add(work, turn, update, now);
          }
        });
  }

  /// Nothing is said about a stop that nobody addressed to us, but what it stops may wait here.
  private void ignore(Turn turn, Instant now) {
    if (turn.delivery().intent() instanceof Intent.Cancel
        && withdraw(turn, now) == Withdrawal.NOT_NOW) {
      return;
    }
    finish(turn, _ -> {});
  }

  private enum Withdrawal {
    NOTHING,
    DONE,
    /// The stop waits too, or was refused; its turn is over.
    NOT_NOW
  }

  /// Takes back what waits in the conversation, because a stop overtakes it. A start that may have
  /// happened already is looked for, and its run is stopped; while nobody can tell, the stop waits
  /// and the start behind it.
  private Withdrawal withdraw(Turn stop, Instant now) {
    var waiting =
        store.<List<Pending<Delivery>>>commit(
            work -> {
              var earlier =
                  work.inbox().waiting(stop.conversation()).stream()
                      .filter(each -> !each.item().arrivedAt().isAfter(stop.delivery().arrivedAt()))
                      .toList();
              earlier.stream()
                  .filter(each -> each.tries() == 0)
                  .forEach(each -> work.inbox().done(each.item().id()));
              return earlier;
            });
    for (var begun : waiting.stream().filter(each -> each.tries() > 0).toList()) {
      switch (stopStarted(begun.item())) {
        case Outcome.Done _, Outcome.Missing _ ->
            store.change(
                work -> {
                  work.inbox().done(begun.item().id());
                });
        case Outcome.Busy(var after, var why) -> {
          var due = later(stop, after, why, now);
          store.change(
              work -> {
                work.inbox().later(begun.item().id(), due, "A stop goes first");
              });
          return Withdrawal.NOT_NOW;
        }
        // It stays, to be bound and watched: it runs on.
        case Outcome.Refused refused -> {
          refuse(stop, refused, now);
          return Withdrawal.NOT_NOW;
        }
      }
    }
    if (waiting.isEmpty()) {
      return Withdrawal.NOTHING;
    }
    log.info(
        "deliveries withdrawn conversation={} count={} at={}",
        stop.conversation(),
        waiting.size(),
        now);
    return Withdrawal.DONE;
  }

  /// Stops the run that the delivery may have started.
  private Outcome stopStarted(Delivery begun) {
    if (begun.origin().opensThread()) {
      return new Outcome.Missing();
    }
    return switch (runs.startedBy(begun.id())) {
      case Outcome.Done(var run) -> runs.cancel(run.id());
      case Outcome.Missing missing -> missing;
      case Outcome.Busy busy -> busy;
      case Outcome.Refused(var code, var why, _) ->
          new Outcome.Busy(Optional.empty(), code + ": " + why);
    };
  }

  private void refuse(Turn turn, Outcome.Refused refused, Instant now) {
    log.info(
        "run service refused delivery={} conversation={} code={}",
        turn.delivery().id(),
        turn.conversation(),
        refused.code());
    var text = refused.why() + refused.link().map(link -> "\n" + link).orElse("");
    finish(turn, work -> add(work, turn, aloud(turn, text), now));
  }

  /// Keeps the delivery for later. When that has taken a while the person is told, once.
  ///
  /// @return when its next turn is; now, if there is none
  private Instant later(Turn turn, Optional<Duration> after, String why, Instant now) {
    var delivery = turn.delivery();
    if (Duration.between(delivery.arrivedAt(), now).compareTo(GIVE_UP) > 0) {
      log.error("delivery parked delivery={} why={}", delivery.id(), why);
      store.change(
          work -> {
            work.inbox().park(delivery.id(), why);
            add(
                work,
                turn,
                aloud(
                    turn,
                    "This could not be done for a whole day, so I gave up. Please say it again."),
                now);
          });
      return now;
    }
    var wait = retries.after(turn.tries() + 1, after);
    log.warn(
        "delivery waits delivery={} try={} wait={} why={}",
        delivery.id(),
        turn.tries() + 1,
        wait,
        why);
    store.change(
        work -> {
          work.inbox().later(delivery.id(), now.plus(wait), why);
          if (turn.tries() + 1 == TRIES_BEFORE_WE_SAY_SO && !delivery.origin().opensThread()) {
            add(
                work,
                turn,
                aloud(
                    turn,
                    "The run service cannot be reached just now. Your message is kept, and goes on"
                        + " as soon as it is back."),
                now);
          }
        });
    return now.plus(wait);
  }

  private void breaks(Turn turn, RuntimeException broken, Instant now) {
    var delivery = turn.delivery();
    log.error("delivery broke us delivery={} try={}", delivery.id(), turn.tries() + 1, broken);
    store.change(
        work -> {
          if (turn.tries() + 1 < TRIES_OF_A_BREAKING_ONE) {
            work.inbox()
                .later(
                    delivery.id(),
                    now.plus(retries.after(turn.tries() + 1, Optional.empty())),
                    broken.toString());
          } else {
            work.inbox().park(delivery.id(), broken.toString());
            add(
                work,
                turn,
                aloud(
                    turn,
                    "Something went wrong on my side, and trying again did not help. The people who"
                        + " run me can see it in the log."),
                now);
          }
        });
  }

  private void off(Turn turn) {
    log.warn("delivery parked, its surface is off delivery={}", turn.delivery().id());
    store.change(
        work -> {
          work.inbox().park(turn.delivery().id(), "The surface is turned off.");
        });
  }

  private Optional<Surface> surface(Turn turn) {
    return surfaces.find(turn.conversation().surface());
  }

  /// Two nodes may write one binding at the same moment; nothing of a step that lost is kept,
  /// and it is made again.
  private void change(Consumer<Work> step) {
    for (var kept = false; !kept; ) {
      try {
        store.change(step);
        kept = true;
      } catch (LostCompare _) {
        log.debug("binding was written by another meanwhile");
      }
    }
  }

  private static final class LostCompare extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private static void save(Work work, Binding binding) {
    if (!work.bindings().save(binding)) {
      throw new LostCompare();
    }
  }

  private void finish(Turn turn, Consumer<Work> result) {
    change(
        work -> {
          result.accept(work);
          work.inbox().done(turn.delivery().id());
        });
  }

  private static void received(Work work, Turn turn, Instant now) {
    turn.delivery()
        .origin()
        .message()
        .ifPresent(message -> add(work, turn, new Update.Received(message), now));
  }

  private static Update told(Turn turn, String text) {
    return new Update.Told(turn.delivery().actor(), text, true);
  }

  /// For all in the thread, not only for the person who asked.
  private static Update aloud(Turn turn, String text) {
    Actor to = turn.delivery().actor();
    return new Update.Told(to, text, false);
  }

  private static void add(Work work, Turn turn, Update update, Instant now) {
    add(work, turn.conversation(), turn.delivery(), update, now);
  }

  private static void add(
      Work work, Conversation conversation, Delivery delivery, Update update, Instant now) {
    work.outbox()
        .add(new Notice(NoticeId.random(), conversation, update, delivery.origin(), now, 0));
  }
}
