package dev.runnel.core.dispatch;

import dev.runnel.core.decide.Audience;
import dev.runnel.core.model.Arrival;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Outcome;
import dev.runnel.core.model.Plan;
import dev.runnel.core.model.Receipt;
import dev.runnel.core.model.Run;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.Store.Work;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/// From words in a thread to its run, which goes on; where the service does not let it, a new one
/// goes on in the thread.
final class FollowUps {
  /// How often a run that does not show what it was told is looked at.
  private static final int LOOKS = 3;

  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(10);

  private final AgentRuns runs;
  private final Starts starts;
  private final Turns turns;
  private final Together together;

  FollowUps(AgentRuns runs, Starts starts, Turns turns, Together together) {
    this.runs = runs;
    this.starts = starts;
    this.turns = turns;
    this.together = together;
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
          starts.started(turn, anew(turn, plan), run);
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
        turns.finish(turn, work -> arrived(work, turn, plan.binding(), found));
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
              work -> {
                turn.sign(work, Receipt.TAKEN);
                turn.tellAll(
                    work,
                    "I cannot find out whether your last message reached the agent. If it does"
                        + " not act on it, please say it again.");
              });
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
    var stoodStill = found.state().isTerminal() || found.state().needsPerson();
    beginToSay(turn, plan.binding(), found, stoodStill)
        .ifPresent(whole -> say(whole, plan.saying(whole.words()), found));
  }

  private void say(Turn turn, Plan.FollowUp plan, Run found) {
    switch (runs.followUp(found.id(), plan.request().text(), turn.delivery().id())) {
      case Outcome.Done(var read) -> followedUp(turn, plan.binding(), found, read);
      case Outcome.Missing _, Outcome.Refused _ when found.state().isTerminal() -> {
        watchNoMore(turn, plan.binding());
        startAnew(turn, plan);
      }
      case Outcome.Missing _ -> turns.gone(turn);
      case Outcome.Refused refused -> {
        watchNoMore(turn, plan.binding());
        turns.refuse(turn, refused);
      }
      case Outcome.Busy(var after, var why) -> turns.later(turn, after, why);
    }
  }

  /// Before the follow-up is attempted: should its answer be lost, the run as it was is what to
  /// compare with, and its next end or question is told all the same.
  ///
  /// @return the turn with all that is said now; empty when another node has taken it over
  private Optional<Turn> beginToSay(Turn turn, Binding binding, Run run, boolean stoodStill) {
    return fix(
        turn,
        binding,
        run,
        work -> {
          var current = Turns.current(work, binding);
          current.ifPresent(it -> Audience.asks(work, turn.delivery(), it));
          if (stoodStill) {
            current
                .filter(it -> !it.reopened())
                .ifPresent(it -> Turns.save(work, it.reopenedAs(run)));
          }
        });
  }

  /// From here on it is said as it is, with all that waits behind it and belongs to it.
  private Optional<Turn> fix(Turn turn, Binding binding, Run run, Consumer<Work> more) {
    var whole = new Turn[] {turn};
    var isKept =
        turns.keep(
            turn,
            work -> {
              var attempted = work.inbox().seen(turn.delivery().id()).isPresent();
              whole[0] = attempted ? turn : together.join(work, turn, binding);
              work.inbox().sees(turn.delivery().id(), run);
              more.accept(work);
            });
    return isKept ? Optional.of(whole[0]) : Optional.empty();
  }

  private void watchNoMore(Turn turn, Binding binding) {
    turns.change(
        work -> {
          Audience.leaves(work, turn.delivery(), binding);
          Turns.current(work, binding).ifPresent(current -> Turns.watchNoMore(work, current));
        });
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
          arrived(work, turn, binding, read);
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

  /// The run service has the words; where the agent does not have them yet, they are remembered.
  /// The watcher may have seen more of them than what was read.
  private static void arrived(Work work, Turn turn, Binding binding, Run read) {
    if (read.replies().filter(replies -> replies.hold(turn.delivery().id())).isEmpty()) {
      turn.received(work);
      return;
    }
    turn.sign(work, Receipt.QUEUED);
    var reply = turn.reply(read);
    Turns.current(work, binding)
        .ifPresent(
            current -> {
              Turns.save(work, current.keeping(reply));
              Turns.tellChanges(work, turn, binding, current.run());
            });
  }

  /// Tells what was not told yet about a run that was just read.
  private void catchUp(Turn turn, Binding binding, Run run) {
    turns.change(
        work -> {
          Turns.tellChanges(work, turn, binding, run);
        });
  }

  /// Said once and in a line: whoever looks at the thread sees a second run.
  private void startAnew(Turn turn, Plan.FollowUp plan) {
    fix(
            turn,
            plan.binding(),
            plan.binding().run(),
            work ->
                turn.tellAllOnce(
                    work,
                    "anew",
                    "The run before cannot go on, so a new one takes over here, with what was said"
                        + " so far."))
        .ifPresent(whole -> starts.start(whole, anew(whole, plan.saying(whole.words()))));
  }

  /// Where it was said: from a pull request, a run of the pull request's own.
  private static Plan.StartRun anew(Turn turn, Plan.FollowUp plan) {
    return new Plan.StartRun(
        turn.delivery().intent() instanceof Intent.Say
            ? turn.conversation()
            : plan.binding().conversation(),
        plan.request());
  }
}
