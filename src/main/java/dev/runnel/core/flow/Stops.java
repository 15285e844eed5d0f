package dev.runnel.core.flow;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Outcome;
import dev.runnel.core.model.Plan;
import dev.runnel.core.model.Update;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Pending;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A stop: it overtakes what waits, also a start whose answer was lost, and it is over only when
/// that is settled.
final class Stops {
  private static final Logger log = LoggerFactory.getLogger(Stops.class);

  private final Store store;
  private final AgentRuns runs;
  private final Turns turns;

  Stops(Store store, AgentRuns runs, Turns turns) {
    this.store = store;
    this.runs = runs;
    this.turns = turns;
  }

  /// Stops the run, and takes back what waits.
  void cancel(Turn turn, Plan.CancelRun plan) {
    var withdrawal = withdraw(turn);
    if (withdrawal == Withdrawal.NOT_NOW) {
      return;
    }
    switch (runs.cancel(plan.binding().run().id())) {
      case Outcome.Done(var run) ->
          turns.finish(
              turn,
              work -> {
                turn.received(work);
                Turns.tellChanges(work, turn, plan.binding(), run);
                Turns.current(work, plan.binding())
                    .filter(current -> current.reopened() && run.state().isTerminal())
                    .ifPresent(
                        current -> {
                          Turns.watchNoMore(work, current);
                          var text =
                              withdrawal == Withdrawal.DONE
                                  ? "Stopped before it started."
                                  : "Nothing to stop: " + Words.state(current, turn.now());
                          turn.tell(work, text);
                        });
              });
      case Outcome.Missing _ -> turns.gone(turn);
      case Outcome.Refused refused -> turns.refuse(turn, refused);
      case Outcome.Busy(var after, var why) -> turns.later(turn, after, why);
    }
  }

  /// There is no run to stop; what waits may be meant.
  void tell(Turn turn, List<Update> updates) {
    var withdrawal = withdraw(turn);
    if (withdrawal == Withdrawal.NOT_NOW) {
      return;
    }
    turns.finish(
        turn,
        work -> {
          if (withdrawal == Withdrawal.DONE) {
            turn.tell(work, "Stopped before it started.");
            return;
          }
          for (var update : updates) {
            turn.add(work, update);
          }
        });
  }

  /// Nothing is said about a stop that nobody addressed to us, but what it stops may wait here.
  void ignore(Turn turn) {
    if (withdraw(turn) != Withdrawal.NOT_NOW) {
      turns.finish(turn, _ -> {});
    }
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
  private Withdrawal withdraw(Turn turn) {
    var waiting =
        store.<List<Pending<Delivery>>>commit(
            work -> {
              var earlier =
                  work.inbox().waiting(turn.conversation()).stream()
                      .filter(each -> !each.item().arrivedAt().isAfter(turn.delivery().arrivedAt()))
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
          var due = turns.later(turn, after, why);
          store.change(
              work -> {
                work.inbox().later(begun.item().id(), due, "A stop goes first");
              });
          return Withdrawal.NOT_NOW;
        }
        // It stays, to be bound and watched: it runs on.
        case Outcome.Refused refused -> {
          turns.refuse(turn, refused);
          return Withdrawal.NOT_NOW;
        }
      }
    }
    if (waiting.isEmpty()) {
      return Withdrawal.NOTHING;
    }
    log.info(
        "deliveries withdrawn conversation={} count={} at={}",
        turn.conversation(),
        waiting.size(),
        turn.now());
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
}
