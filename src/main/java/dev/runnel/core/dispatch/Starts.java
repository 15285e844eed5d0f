package dev.runnel.core.dispatch;

import dev.runnel.core.decide.Changes;
import dev.runnel.core.model.Background;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Outcome;
import dev.runnel.core.model.Plan;
import dev.runnel.core.model.Posting;
import dev.runnel.core.model.Request;
import dev.runnel.core.model.Run;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.BackgroundUnavailable;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.prompt.Prompts;
import dev.runnel.core.recovery.Recovery;
import dev.runnel.core.scope.Choices;
import dev.runnel.core.scope.Surfaces;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// From words to a run: the thread is opened, the background read, the run created once, and bound.
final class Starts {
  private static final Logger log = LoggerFactory.getLogger(Starts.class);
  private static final int TRIES_FOR_BACKGROUND = 3;

  private final Store store;
  private final AgentRuns runs;
  private final Surfaces surfaces;
  private final Choices choices;
  private final RandomGenerator chance;
  private final Turns turns;
  private final Recovery recovery;

  Starts(
      Store store,
      AgentRuns runs,
      Surfaces surfaces,
      Choices choices,
      RandomGenerator chance,
      Turns turns,
      Recovery recovery) {
    this.store = store;
    this.runs = runs;
    this.surfaces = surfaces;
    this.choices = choices;
    this.chance = chance;
    this.turns = turns;
    this.recovery = recovery;
  }

  /// Posts what opens the thread, and moves the delivery there.
  void openThread(Turn turn) {
    var surface = surfaces.find(turn.conversation().surface());
    if (surface.isEmpty()) {
      turns.off(turn);
      return;
    }
    var limit = surface.get().limit(turn.conversation());
    var mayGo =
        store.commit(work -> work.limits().turn(limit, turn.delivery().id().value(), turn.now()));
    if (mayGo.isAfter(turn.now())) {
      turns.untilItsTurn(turn, mayGo);
      return;
    }
    switch (surface.get().open(turn.delivery(), turn.again())) {
      case Posting.Posted(_, var thread) -> {
        recovery.answered(surface.get().id().value());
        turns.keep(
            turn,
            work -> {
              work.inbox().replace(turn.delivery().movedTo(thread));
            });
      }
      case Posting.Later(var after, var why) -> {
        after.ifPresent(
            pause -> store.change(work -> work.limits().hold(limit, turn.now().plus(pause))));
        turns.untilThePlatformAnswers(turn, after, why);
      }
      case Posting.Undeliverable(var why) -> turns.finish(turn, work -> turn.tell(work, why));
    }
  }

  void start(Turn turn, Plan.StartRun start) {
    if (turn.again()) {
      switch (startedBy(turn.delivery())) {
        case Outcome.Done(var run) -> {
          started(turn, start, run);
          return;
        }
        case Outcome.Busy(var after, var why) -> {
          turns.later(turn, after, why);
          return;
        }
        case Outcome.Refused(var code, var why, _) -> {
          turns.later(turn, Optional.empty(), code + ": " + why);
          return;
        }
        case Outcome.Missing _ -> {}
      }
    }
    var resolved = choices.of(start.request(), start.conversation(), turn.delivery().actor());
    if (resolved.unknownProfile().isPresent()) {
      var unknown = choices.profiles().unknown(resolved.unknownProfile().get());
      turns.finish(turn, work -> turn.tell(work, unknown));
      return;
    }
    var surface = surfaces.find(turn.conversation().surface());
    if (surface.isEmpty()) {
      turns.off(turn);
      return;
    }
    Background background;
    var isUnread = false;
    try {
      background = surface.get().background(turn.delivery());
    } catch (BackgroundUnavailable unavailable) {
      if (turn.tries() < TRIES_FOR_BACKGROUND) {
        turns.untilThePlatformAnswers(
            turn, Optional.empty(), String.valueOf(unavailable.getMessage()));
        return;
      }
      background = turn.delivery().snapshot().background(turn.delivery().origin().link());
      isUnread = true;
    }
    var prompt = Prompts.compose(turn.delivery(), resolved, background, chance);
    switch (runs.start(prompt, turn.delivery().id())) {
      case Outcome.Done(var run) -> {
        if (isUnread) {
          startedUnread(turn, start, run);
        } else {
          started(turn, start, run);
        }
      }
      case Outcome.Missing _ ->
          turns.finish(
              turn, work -> turn.tell(work, "The run service does not know how to start runs."));
      case Outcome.Refused refused -> turns.refuse(turn, refused);
      case Outcome.Busy(var after, var why) -> turns.later(turn, after, why);
    }
  }

  /// The run that the delivery started. One that was found by its words alone, and is another
  /// conversation's already, is not.
  Outcome startedBy(Delivery delivery) {
    var found =
        runs.startedBy(
            delivery.id(), delivery.arrivedAt(), delivery.intent().words().map(Request::text));
    return found instanceof Outcome.Done(var run) && run.delivery().isEmpty() && isBound(run)
        ? new Outcome.Missing()
        : found;
  }

  /// Nobody may think that the agent knows what it does not.
  private void startedUnread(Turn turn, Plan.StartRun start, Run run) {
    started(
        turn,
        start,
        run,
        work ->
            turn.tellAll(
                work,
                "I could not read what was said here before, so the agent does not know it. If it"
                    + " matters, say it again in a reply."));
  }

  /// Keeps that the delivery started this run.
  void started(Turn turn, Plan.StartRun start, Run run) {
    started(turn, start, run, _ -> {});
  }

  private void started(Turn turn, Plan.StartRun start, Run run, Consumer<Work> more) {
    var isKept =
        turns.finish(
            turn,
            work -> {
              bind(work, turn, start, run);
              more.accept(work);
            });
    if (isKept) {
      log.info(
          "run started delivery={} conversation={} run={}",
          turn.delivery().id(),
          start.conversation(),
          run.id());
    } else {
      stopSecond(turn, run);
    }
  }

  /// The run becomes its conversation's, and all there is to tell about it is told.
  static void bind(Work work, Turn turn, Plan.StartRun start, Run run) {
    var delivery = turn.delivery();
    var binding =
        new Binding(
            start.conversation(),
            run,
            delivery.actor(),
            start.request(),
            delivery.origin(),
            Optional.empty(),
            turn.now(),
            false,
            0);
    work.bindings().save(binding);
    turn.received(work);
    for (var update : Changes.atFirst(binding, turn.now())) {
      turn.add(work, start.conversation(), update);
    }
    if (!start.conversation().equals(delivery.conversation())) {
      turn.tell(work, "Started again in its thread.");
    }
  }

  /// Another node took the turn over. Where it has started a run of its own, this is a second one
  /// that nobody would hear of.
  private void stopSecond(Turn turn, Run run) {
    var isNobodys =
        store.<Boolean>commit(
            work ->
                work.bindings().of(run.id()).isEmpty()
                    && !work.inbox().isWaiting(turn.delivery().id()));
    if (isNobodys) {
      log.warn("second run stopped delivery={} run={}", turn.delivery().id(), run.id());
      if (!(runs.cancel(run.id()) instanceof Outcome.Done)) {
        log.error("second run not stopped delivery={} run={}", turn.delivery().id(), run.id());
      }
    }
  }

  private boolean isBound(Run run) {
    return store.<Boolean>commit(work -> work.bindings().of(run.id()).isPresent());
  }
}
