package dev.runnel.core.flow;

import dev.runnel.core.model.Background;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Outcome;
import dev.runnel.core.model.Plan;
import dev.runnel.core.model.Posting;
import dev.runnel.core.model.Run;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.BackgroundUnavailable;
import dev.runnel.core.port.Store;
import java.util.Optional;
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
  private final Profiles profiles;
  private final RandomGenerator chance;
  private final Turns turns;

  Starts(
      Store store,
      AgentRuns runs,
      Surfaces surfaces,
      Profiles profiles,
      RandomGenerator chance,
      Turns turns) {
    this.store = store;
    this.runs = runs;
    this.surfaces = surfaces;
    this.profiles = profiles;
    this.chance = chance;
    this.turns = turns;
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
      case Posting.Posted(_, var thread) ->
          store.change(
              work -> {
                work.inbox().replace(turn.delivery().movedTo(thread));
              });
      case Posting.Later(var after, var why) -> {
        after.ifPresent(
            pause -> store.change(work -> work.limits().hold(limit, turn.now().plus(pause))));
        turns.later(turn, after, why);
      }
      case Posting.Undeliverable(var why) -> turns.finish(turn, work -> turn.tell(work, why));
    }
  }

  void start(Turn turn, Plan.StartRun start) {
    if (turn.again()) {
      switch (runs.startedBy(turn.delivery().id())) {
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
    var resolved = profiles.resolve(start.request());
    if (resolved.isEmpty()) {
      turns.finish(turn, work -> turn.tell(work, profiles.unknown(start.request())));
      return;
    }
    var surface = surfaces.find(turn.conversation().surface());
    if (surface.isEmpty()) {
      turns.off(turn);
      return;
    }
    Background background;
    try {
      background = surface.get().background(turn.delivery());
    } catch (BackgroundUnavailable unavailable) {
      if (turn.tries() < TRIES_FOR_BACKGROUND) {
        turns.later(turn, Optional.empty(), String.valueOf(unavailable.getMessage()));
        return;
      }
      background = Background.NONE;
    }
    var prompt = Prompts.compose(turn.delivery(), resolved.get(), background, chance);
    switch (runs.start(prompt, turn.delivery().id())) {
      case Outcome.Done(var run) -> started(turn, start, run);
      case Outcome.Missing _ ->
          turns.finish(
              turn, work -> turn.tell(work, "The run service does not know how to start runs."));
      case Outcome.Refused refused -> turns.refuse(turn, refused);
      case Outcome.Busy(var after, var why) -> turns.later(turn, after, why);
    }
  }

  private void started(Turn turn, Plan.StartRun start, Run run) {
    var delivery = turn.delivery();
    turns.finish(
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
        });
    log.info(
        "run started delivery={} conversation={} run={}",
        delivery.id(),
        start.conversation(),
        run.id());
  }
}
