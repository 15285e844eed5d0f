package dev.runnel.core.flow;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Outcome;
import dev.runnel.core.model.Plan;
import dev.runnel.core.model.Run;
import dev.runnel.core.port.AgentRuns;

/// From words in a thread to its run, which goes on; where the service does not let it, a new one
/// goes on in the thread.
final class FollowUps {
  private final AgentRuns runs;
  private final Starts starts;
  private final Turns turns;

  FollowUps(AgentRuns runs, Starts starts, Turns turns) {
    this.runs = runs;
    this.starts = starts;
    this.turns = turns;
  }

  /// The run is read first: an end that nobody told yet must be told before the follow-up
  /// reopens it.
  void followUp(Turn turn, Plan.FollowUp plan) {
    var run = plan.binding().run().id();
    switch (runs.find(run)) {
      case Outcome.Done(var found) -> {
        catchUp(turn, plan.binding(), found);
        var ended = found.state().isTerminal();
        if (ended) {
          watchAgain(plan.binding(), found);
        }
        switch (runs.followUp(run, plan.request().text(), turn.delivery().id())) {
          case Outcome.Done(var read) -> followedUp(turn, plan.binding(), found, read);
          case Outcome.Missing _, Outcome.Refused _ when ended -> {
            watchNoMore(plan.binding());
            startAnew(turn, plan);
          }
          case Outcome.Missing _ -> turns.gone(turn);
          case Outcome.Refused refused -> turns.refuse(turn, refused);
          case Outcome.Busy(var after, var why) -> turns.later(turn, after, why);
        }
      }
      case Outcome.Missing _ -> startAnew(turn, plan);
      case Outcome.Refused refused -> turns.refuse(turn, refused);
      case Outcome.Busy(var after, var why) -> turns.later(turn, after, why);
    }
  }

  /// Before the follow-up is attempted: should its answer be lost, the run's next end is told all
  /// the same.
  private void watchAgain(Binding binding, Run run) {
    turns.change(
        work ->
            Turns.current(work, binding)
                .filter(current -> !current.isActive())
                .ifPresent(current -> Turns.save(work, current.reopenedAs(run))));
  }

  private void watchNoMore(Binding binding) {
    turns.change(
        work ->
            Turns.current(work, binding).ifPresent(current -> Turns.watchNoMore(work, current)));
  }

  private void followedUp(Turn turn, Binding binding, Run before, Run read) {
    // A service that knows the repeated request does not work on it again.
    var hadHappened =
        turn.again()
            && read.state().isTerminal()
            && read.updatedAt().isPresent()
            && read.updatedAt().equals(before.updatedAt());
    turns.finish(
        turn,
        work -> {
          turn.received(work);
          if (hadHappened) {
            Turns.current(work, binding).ifPresent(current -> Turns.watchNoMore(work, current));
          }
        });
  }

  /// Tells what was not told yet about a run that was just read.
  private void catchUp(Turn turn, Binding binding, Run run) {
    turns.change(
        work -> {
          Turns.tellChanges(work, turn, binding, run);
        });
  }

  private void startAnew(Turn turn, Plan.FollowUp plan) {
    starts.start(turn, new Plan.StartRun(plan.binding().conversation(), plan.request()));
  }
}
