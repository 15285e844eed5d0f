package dev.runnel.core.dispatch;

import dev.runnel.core.decide.Audience;
import dev.runnel.core.decide.IntentResolver;
import dev.runnel.core.decide.Planner;
import dev.runnel.core.decide.Reach;
import dev.runnel.core.decide.RetrySchedule;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Plan;
import dev.runnel.core.model.Receipt;
import dev.runnel.core.model.RunId;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.Checkup;
import dev.runnel.core.port.CredentialRefused;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Pending;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.recovery.Recovery;
import dev.runnel.core.scope.Choices;
import dev.runnel.core.scope.Defaults;
import dev.runnel.core.scope.Profiles;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.core.text.Traces;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
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
  private static final Duration OPENED_WITHIN = Duration.ofSeconds(10);
  private static final Duration EARLY = Duration.ofMillis(500);

  private final Store store;
  private final Recovery recovery;
  private final Turns turns;
  private final Starts starts;
  private final FollowUps followUps;
  private final Stops stops;
  private final Gate gate;
  private final Reach reach;
  private final IntentResolver intents;
  private final Amendments amendments;
  private final Ears ears;
  private final Links links;
  private final Answers answers;

  public Dispatcher(
      Store store, AgentRuns runs, Surfaces surfaces, Profiles profiles, RandomGenerator chance) {
    this(
        store,
        runs,
        surfaces,
        profiles,
        Defaults.NONE,
        Checkup.NONE,
        new Recovery(store, runs, surfaces),
        chance);
  }

  public Dispatcher(
      Store store,
      AgentRuns service,
      Surfaces surfaces,
      Profiles profiles,
      Defaults defaults,
      Checkup checkup,
      Recovery recovery,
      RandomGenerator chance) {
    var choices = new Choices(store, defaults, profiles);
    var runs = recovery.watching(service);
    this.store = store;
    this.recovery = recovery;
    this.turns = new Turns(store, RetrySchedule.standard(chance), recovery);
    this.starts = new Starts(store, runs, surfaces, choices, chance, turns, recovery);
    this.ears = new Ears(surfaces);
    this.followUps = new FollowUps(runs, starts, turns, new Together(ears));
    this.amendments = new Amendments(turns);
    this.stops = new Stops(store, runs, starts, turns);
    this.gate = new Gate(surfaces, turns);
    this.reach = new Reach(defaults);
    this.intents = new IntentResolver(reach);
    this.links = new Links(store, runs, surfaces, starts, turns);
    this.answers = new Answers(store, surfaces, choices, checkup, turns);
  }

  /// Works on the conversation's deliveries that are due. Only one step at a time runs for a
  /// conversation.
  ///
  /// @return how many were worked on
  public int step(Conversation conversation, Instant now) {
    var count = 0;
    for (var next = take(conversation, now); next.isPresent(); next = take(conversation, now)) {
      work(next.get());
      recovery.wake(now);
      count++;
    }
    return count;
  }

  private record Next(Turn turn, Planner.Situation situation, boolean isTakenBack) {}

  private Optional<Next> take(Conversation conversation, Instant now) {
    return store.commit(
        work -> {
          var next = work.inbox().next(conversation, now);
          while (next.isPresent() && isPutOff(work, next.get(), now)) {
            next = work.inbox().next(conversation, now);
          }
          return next.map(
              pending -> {
                work.inbox().begin(pending.item().id());
                var delivery = intents.resolved(work, links.resolved(work, pending.item()));
                var parts = work.inbox().joined(pending.item().id());
                var turn = new Turn(delivery, parts, pending.tries(), now);
                return new Next(turn, situation(work, delivery), isTakenBack(work, turn));
              });
        });
  }

  /// Whether it was stopped before it arrived: deliveries overtake each other on their way, and
  /// their platform tells when each was said.
  private static boolean isTakenBack(Work work, Turn turn) {
    var at = turn.delivery().snapshot().at();
    return !turn.again()
        && at.isPresent()
        && turn.delivery().intent().words().isPresent()
        && work.inbox().stops(turn.conversation()).stream()
            .flatMap(stop -> stop.snapshot().at().stream())
            .anyMatch(stopped -> stopped.isAfter(at.get()));
  }

  /// Whether its time has not come, or its place is elsewhere.
  private boolean isPutOff(Work work, Pending<Delivery> next, Instant now) {
    var delivery = next.item();
    if (isEarly(work, delivery, now)) {
      work.inbox().later(delivery.id(), now.plus(EARLY), "Its thread is opened");
      return true;
    }
    var held = heldBy(work, delivery);
    if (held.isPresent()) {
      work.inbox()
          .later(
              delivery.id(),
              Recovery.nextLook(now),
              held.get(),
              delivery.conversation().surface().value());
      return true;
    }
    if (delivery.intent() instanceof Intent.StopAt(var post)) {
      var stop = Pointers.stop(work, delivery, post);
      stop.ifPresent(work.inbox()::replace);
      return stop.isPresent();
    }
    var until = ears.gathersUntil(work, next, now);
    until.ifPresent(at -> work.inbox().later(delivery.id(), at, "More may follow"));
    return until.isPresent();
  }

  /// Why it waits with all that its surface has to do. A stop may need no platform, and is tried.
  private static Optional<String> heldBy(Work work, Delivery delivery) {
    return delivery.intent().overtakes()
        ? Optional.empty()
        : Recovery.held(work, delivery.conversation().surface());
  }

  /// The first sign that a request was seen, from who may ask. What is said to a run is not signed
  /// before the run has it, or cannot have it yet.
  private void takes(Turn turn) {
    var delivery = turn.delivery();
    if (!turn.again()
        && delivery.addressed()
        && delivery.origin().message().isPresent()
        && delivery.intent().words().isPresent()) {
      store.change(
          work -> {
            if (work.bindings().of(delivery.conversation()).filter(Binding::isActive).isEmpty()) {
              turn.sign(work, Receipt.TAKEN);
            }
          });
    }
  }

  /// Whether it may be a reply to a thread that is just being opened: its first post stands, and
  /// the start that it was posted for is not in the thread yet.
  private static boolean isEarly(Work work, Delivery delivery, Instant now) {
    return delivery.origin().replyTo().isEmpty()
        && !delivery.origin().opensThread()
        && delivery.arrivedAt().plus(OPENED_WITHIN).isAfter(now)
        && work.bindings().of(delivery.conversation()).isEmpty()
        // A stop of what waits here is no reply.
        && work.inbox().waiting(delivery.conversation()).stream()
            .noneMatch(each -> each.item().origin().opensThread())
        && work.inbox().waitingNear(delivery.conversation()).stream()
            .anyMatch(
                each ->
                    each.tries() > 0
                        && each.item().origin().opensThread()
                        && !each.item().arrivedAt().isAfter(delivery.arrivedAt()));
  }

  private static Planner.Situation situation(Work work, Delivery delivery) {
    var named =
        switch (delivery.intent()) {
          case Intent.Cancel(var run, _) -> run;
          case Intent.Status(var run) -> run;
          case Intent.Retry(var run) -> run;
          case Intent.SayTo(var run, _) -> Optional.of(run);
          case Intent.Start _, Intent.Say _, Intent.ListRuns _, Intent.Help _, Intent.Unclear _ ->
              Optional.<RunId>empty();
          case Intent.Amend _, Intent.StopAt _ -> Optional.<RunId>empty();
          case Intent.New _, Intent.Link _, Intent.Linked _, Intent.CancelMine _, Intent.Ask _ ->
              Optional.<RunId>empty();
        };
    var conversation = delivery.conversation();
    return new Planner.Situation(
        own(work, delivery),
        named.flatMap(run -> work.bindings().of(run)),
        // A command from a place has no thread of its own; it is about the runs around.
        delivery.origin().replyTo().isPresent()
            ? work.bindings()
                .recent(Optional.of(conversation.surface()), conversation.place(), NEARBY)
            : List.of(),
        waiting(work, delivery));
  }

  /// The binding of the thread's current run, on a pull request of the run that opened it; a stop
  // means an earlier one, where only that goes on.
  private static Optional<Binding> own(Work work, Delivery delivery) {
    var current =
        work.bindings().of(delivery.conversation()).or(() -> Audience.steered(work, delivery));
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

  private void work(Next next) {
    var turn = next.turn();
    try {
      var plan = Planner.plan(turn.delivery(), next.situation(), turn.now());
      if (isSettled(turn, next.situation())
          || (hasEffect(plan, turn) && !gate.admits(turn, next.situation().own()))
          || isOutOfReach(turn, next.situation())) {
        return;
      }
      if (next.isTakenBack()) {
        turns.finish(
            turn.noting("to leave it: a stop that was said later had arrived before"),
            work -> next.turn().sign(work, Receipt.CANCELLED));
        return;
      }
      takes(turn);
      turn = turn.noting(Traces.note(plan));
      log.info(
          "delivery planned delivery={} conversation={} plan={} try={}",
          turn.delivery().id(),
          turn.conversation(),
          plan.getClass().getSimpleName(),
          turn.tries() + 1);
      var isStop = turn.delivery().intent() instanceof Intent.Cancel;
      switch (plan) {
        case Plan.OpenThread _ -> starts.openThread(turn);
        case Plan.MoveTo(var conversation) -> moveTo(turn, conversation);
        case Plan.StartRun start -> starts.start(turn, start);
        case Plan.FollowUp followUp -> followUps.followUp(turn, followUp);
        case Plan.CancelRun cancel -> stops.cancel(turn, cancel);
        case Plan.LinkRun(var run) -> links.link(turn, run);
        case Plan.Answer(var intent) -> answers.answer(turn, intent);
        case Plan.Tell(var updates) when isStop -> stops.tell(turn, updates);
        case Plan.Tell(var updates) -> answers.tell(turn, updates);
        case Plan.Ignore _ when isStop -> stops.ignore(turn);
        case Plan.Ignore _ -> turns.finish(turn, _ -> {});
      }
    } catch (CredentialRefused refused) {
      turns.hold(turn, refused.why());
    } catch (RuntimeException broken) {
      turns.breaks(turn, broken);
    }
  }

  /// Whether it matters who said it. A stop also takes back what waits.
  private static boolean hasEffect(Plan plan, Turn turn) {
    return !(plan instanceof Plan.Ignore) || turn.delivery().intent() instanceof Intent.Cancel;
  }

  /// What needs no plan: a correction, and words that nobody listens to.
  private boolean isSettled(Turn turn, Planner.Situation situation) {
    if (turn.delivery().intent() instanceof Intent.Amend amend) {
      amendments.amend(turn, amend);
      return true;
    }
    var unheard = situation.own().filter(binding -> !ears.hears(turn.delivery(), binding));
    unheard.ifPresent(binding -> turns.finish(turn, work -> ears.hint(work, turn, binding)));
    return unheard.isPresent();
  }

  /// Whether it names a run that is none of the person's business; they are told who may.
  private boolean isOutOfReach(Turn turn, Planner.Situation situation) {
    var refusal = reach.refusal(turn.delivery(), situation.named());
    refusal.ifPresent(
        words ->
            turns.finish(
                turn.noting("to refuse it: the run belongs to another place"),
                work -> turn.tell(work, words)));
    return refusal.isPresent();
  }

  private void moveTo(Turn turn, Conversation conversation) {
    turns.keep(
        turn,
        work -> {
          work.inbox().replace(turn.delivery().movedTo(conversation));
          if (turn.delivery().intent() instanceof Intent.Retry
              && turn.delivery().origin().home().isEmpty()) {
            turn.tell(work, "It goes on in its thread.");
          }
          if (turn.delivery().intent() instanceof Intent.SayTo) {
            turn.tell(work, "Passed on. It goes on in its thread.");
          }
        });
  }
}
