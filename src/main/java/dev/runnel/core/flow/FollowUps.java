package dev.runnel.core.flow;

import dev.runnel.core.model.Arrival;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Outcome;
import dev.runnel.core.model.Plan;
import dev.runnel.core.model.Run;
import dev.runnel.core.port.AgentRuns;
import java.time.Duration;
import java.util.Optional;

/// From words in a thread to its run, which goes on; where the service does not let it, a new one
/// goes on in the thread.
final class FollowUps {
  /// How often a run that does not show what it was told is looked at.
  private static final int LOOKS = 3;

  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(10);

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
    switch (runs.find(plan.binding().run().id())) {
      case Outcome.Done(var found) -> {
        catchUp(turn, plan.binding(), found);
        if (isSettled(turn, plan, found)) {
          return;
        }
        send(turn, plan, found);
      }
      case Outcome.Missing _ -> startAnew(turn, plan);
      case Outcome.Refused refused -> turns.refuse(turn, refused);
      case Outcome.Busy(var after, var why) -> turns.later(turn, after, why);
    }
  }

  /// Whether the turn is over: an earlier try had its effect, or nobody can tell. Only what shows
  /// that it did not arrive lets it be said again.
  private boolean isSettled(Turn turn, Plan.FollowUp plan, Run found) {
    var attempt = turns.attempt(turn);
    if (attempt.isEmpty()) {
      return false;
    }
    // The run may have refused it then, and another have been started.
    if (found.state().isTerminal()) {
      switch (starts.startedBy(turn.delivery())) {
        case Outcome.Done(var run) -> {
          starts.started(turn, anew(plan), run);
          return true;
        }
        case Outcome.Busy(var after, var why) -> {
          turns.later(turn, after, why);
          return true;
        }
        case Outcome.Missing _, Outcome.Refused _ -> {}
      }
    }
    return switch (runs.arrived(
        attempt.get().before(), plan.request().text(), attempt.get().said())) {
      case Arrival.Arrived _ -> {
        turns.finish(turn, turn::received);
        yield true;
      }
      case Arrival.NotArrived _ -> false;
      case Arrival.Unknowable _ -> {
        if (turn.tries() < LOOKS) {
          turns.later(
              turn, Optional.of(BETWEEN_LOOKS), "The run does not show whether this arrived");
        } else {
          turns.finish(
              turn,
              work ->
                  turn.tellAll(
                      work,
                      "I cannot find out whether your last message reached the agent. If it does"
                          + " not act on it, please say it again."));
        }
        yield true;
      }
      case Arrival.Busy(var after, var why) -> {
        turns.later(turn, after, why);
        yield true;
      }
    };
  }

  private void send(Turn turn, Plan.FollowUp plan, Run found) {
    var run = found.id();
    var stoodStill = found.state().isTerminal() || found.state().needsPerson();
    if (!beginToSay(turn, plan.binding(), found, stoodStill)) {
      return;
    }
    switch (runs.followUp(run, plan.request().text(), turn.delivery().id())) {
      case Outcome.Done(var read) -> followedUp(turn, plan.binding(), found, read);
      case Outcome.Missing _, Outcome.Refused _ when found.state().isTerminal() -> {
        watchNoMore(plan.binding());
        startAnew(turn, plan);
      }
      case Outcome.Missing _ -> turns.gone(turn);
      case Outcome.Refused refused -> {
        watchNoMore(plan.binding());
        turns.refuse(turn, refused);
      }
      case Outcome.Busy(var after, var why) -> turns.later(turn, after, why);
    }
  }

  /// Before the follow-up is attempted: should its answer be lost, the run as it was is what to
  /// compare with, and its next end or question is told all the same.
  private boolean beginToSay(Turn turn, Binding binding, Run run, boolean stoodStill) {
    return turns.keep(
        turn,
        work -> {
          work.inbox().sees(turn.delivery().id(), run);
          if (stoodStill) {
            Turns.current(work, binding)
                .filter(current -> !current.reopened())
                .ifPresent(current -> Turns.save(work, current.reopenedAs(run)));
          }
        });
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
          } else if (read.state().needsPerson()) {
            // Its question is answered, though it has not gone on yet.
            Turns.current(work, binding)
                .filter(Binding::reopened)
                .ifPresent(current -> Turns.save(work, current.reopenedAs(read)));
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
    starts.start(turn, anew(plan));
  }

  private static Plan.StartRun anew(Plan.FollowUp plan) {
    return new Plan.StartRun(plan.binding().conversation(), plan.request());
  }
}
