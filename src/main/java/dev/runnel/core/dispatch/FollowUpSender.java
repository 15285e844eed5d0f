package dev.runnel.core.dispatch;

import dev.runnel.core.decide.RunSubscribers;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Plan;
import dev.runnel.core.model.run.Arrival;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.Store.Work;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/// Sends a thread's message to its run, which continues. If the service does not allow that, starts
/// a new run in the thread.
record FollowUpSender(
    AgentRuns runs,
    RunStarter runStarter,
    StartControl startControl,
    AttemptResults results,
    FollowUpText followUpText,
    FollowUpReceipt followUpReceipt) {
  /// How often to check whether a follow-up arrived that the run does not show.
  private static final int MAX_CHECKS = 3;

  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(10);

  /// Reads the run first, because an end that was not posted yet must be posted before the
  /// follow-up reopens the run.
  void followUp(DeliveryAttempt attempt, Plan.FollowUp plan) {
    switch (runs.find(plan.binding().run().id())) {
      case Outcome.Done(var found) -> {
        postChanges(attempt, plan.binding(), found);
        if (isSettled(attempt, plan, found)) {
          return;
        }
        send(attempt, plan, found);
      }
      case Outcome.Missing _ when !isReplaceable(plan) -> results.reportMissingRun(attempt);
      case Outcome.Missing _ -> {
        // An earlier attempt may have started the new run.
        if (attempt.isRetry() || !startControl.holdReport(attempt, plan.binding())) {
          startNewRun(attempt, plan);
        }
      }
      case Outcome.Refused refused -> results.refuse(attempt, refused);
      case Outcome.Unavailable(var after, var why) -> results.retryLater(attempt, after, why);
    }
  }

  /// Whether a new run may continue its work: not for a run of the API, whose request, environment
  /// and identity are not known here.
  private static boolean isReplaceable(Plan.FollowUp plan) {
    return plan.binding().isRequestKnown();
  }

  /// Whether the attempt is finished, because an earlier attempt had its effect or may have had it.
  /// The message is sent again only if it did not arrive, or if sending it twice is harmless.
  private boolean isSettled(DeliveryAttempt attempt, Plan.FollowUp plan, Run found) {
    var earlier = results.earlierTry(attempt);
    if (earlier.isEmpty()) {
      return false;
    }
    // The service may have refused it then, and a new run may have been started.
    if (found.state().isTerminal()) {
      switch (runStarter.startedBy(attempt.delivery())) {
        case Outcome.Done(var run) -> {
          runStarter.started(
              attempt, asNewRun(attempt, plan), run, work -> announceNewRun(work, attempt));
          return true;
        }
        case Outcome.Unavailable(var after, var why) -> {
          results.retryLater(attempt, after, why);
          return true;
        }
        case Outcome.Missing _, Outcome.Refused _ -> {}
      }
    }
    return switch (runs.followUpArrival(
        earlier.get().before(), plan.request().text(), earlier.get().timesSent())) {
      case Arrival.Arrived _ -> {
        results.complete(
            attempt, work -> followUpReceipt.arrived(work, attempt, plan.binding(), found));
        yield true;
      }
      case Arrival.NotArrived _ -> false;
      case Arrival.Unknowable _ -> {
        if (attempt.tries() < MAX_CHECKS) {
          results.retryLater(
              attempt, Optional.of(CHECK_INTERVAL), "The run does not show whether this arrived");
        } else {
          results.complete(
              attempt,
              work -> {
                attempt.react(work, MessageStatus.TAKEN);
                attempt.respondToAll(
                    work,
                    "I'm not sure your last message reached the agent. If it does not act on"
                        + " it, please send it again.");
              });
        }
        yield true;
      }
      case Arrival.Unavailable(var after, var why) -> {
        results.retryLater(attempt, after, why);
        yield true;
      }
    };
  }

  private void send(DeliveryAttempt attempt, Plan.FollowUp plan, Run found) {
    var isIdle = !found.state().isInProgress();
    if (isIdle && !startControl.permitsRestart(attempt, plan.binding())) {
      return;
    }
    followUpText
        .withLinked(attempt, plan, found)
        .flatMap(linked -> beginSending(linked, plan.binding(), found, isIdle))
        .ifPresent(
            whole ->
                sendToRun(
                    FollowUpText.withToolDecision(whole, found),
                    plan.withText(whole.words()),
                    found));
  }

  private void sendToRun(DeliveryAttempt attempt, Plan.FollowUp plan, Run found) {
    var text =
        plan.request().text()
            + attempt.delivery().snapshot().linked().map("\n\n"::concat).orElse("");
    var key = attempt.delivery().id();
    switch (plan.request().options().interrupts()
        ? runs.interrupt(found.id(), text, key)
        : runs.followUp(found.id(), text, key)) {
      case Outcome.Done(var read) ->
          followUpReceipt.followedUp(attempt, plan.binding(), found, read);
      case Outcome.Missing _, Outcome.Refused _
          when found.state().isTerminal() && isReplaceable(plan) -> {
        undoReopening(attempt, plan.binding());
        startNewRun(attempt, plan);
      }
      case Outcome.Missing _ -> results.reportMissingRun(attempt);
      case Outcome.Refused refused -> {
        undoReopening(attempt, plan.binding());
        results.refuse(attempt, refused);
      }
      case Outcome.Unavailable(var after, var why) -> results.retryLater(attempt, after, why);
    }
  }

  /// Stores the run's state before the follow-up is attempted: if the response is lost, that state
  /// is compared with the run's later one, and the run's next end or question is still posted.
  ///
  /// @return the attempt with all messages that are sent now; empty if another node has taken it
  ///   over
  private Optional<DeliveryAttempt> beginSending(
      DeliveryAttempt attempt, Binding binding, Run run, boolean isIdle) {
    return followUpText.fixText(
        attempt,
        binding,
        run,
        false,
        (work, whole) -> {
          var current = AttemptResults.current(work, binding);
          current.ifPresent(it -> RunSubscribers.subscribe(work, attempt.delivery(), it));
          current
              .map(it -> isIdle && !it.reopened() ? it.reopenedAs(run) : it)
              .map(it -> sentAt(whole).map(it::requested).orElse(it))
              .filter(it -> !it.equals(current.get()))
              .ifPresent(it -> AttemptResults.save(work, it));
        });
  }

  /// When a person sent the latest of the messages; empty if no platform tells.
  private static Optional<Instant> sentAt(DeliveryAttempt whole) {
    return Stream.concat(Stream.of(whole.delivery()), whole.parts().stream())
        .filter(RunSubscribers::isFromPerson)
        .flatMap(each -> each.snapshot().at().stream())
        .max(Instant::compareTo);
  }

  private void undoReopening(DeliveryAttempt attempt, Binding binding) {
    results.change(
        work -> {
          RunSubscribers.unsubscribe(work, attempt.delivery(), binding);
          AttemptResults.current(work, binding)
              .ifPresent(current -> AttemptResults.undoReopening(work, current));
        });
  }

  /// Posts changes of a run that was just read.
  private void postChanges(DeliveryAttempt attempt, Binding binding, Run run) {
    results.change(
        work -> {
          results.notifyChanges(work, attempt, binding, run);
        });
  }

  /// Starts a new run, and announces it once, because people in the thread see a second run.
  private void startNewRun(DeliveryAttempt attempt, Plan.FollowUp plan) {
    followUpText
        .fixText(attempt, plan.binding(), plan.binding().run(), true, (_, _) -> {})
        .ifPresent(
            whole ->
                runStarter.start(
                    whole,
                    asNewRun(whole, plan.withText(whole.words())),
                    work -> announceNewRun(work, whole)));
  }

  private static void announceNewRun(Work work, DeliveryAttempt attempt) {
    attempt.respondToAllOnce(
        work,
        "anew",
        "The previous run can't be continued; I started a new one with the conversation so far.");
  }

  /// Starts the new run where the message was posted: on a pull request, in the pull request's
  /// conversation. Options that the message does not set are those of the previous run.
  private static Plan.StartRun asNewRun(DeliveryAttempt attempt, Plan.FollowUp plan) {
    var options = plan.request().options().completedBy(plan.binding().request().options());
    return new Plan.StartRun(
        attempt.delivery().intent() instanceof Intent.Say
            ? attempt.conversation()
            : plan.binding().conversation(),
        new Request(
            plan.request().text(), isPlanOpen(plan.binding()) ? options.planned() : options));
  }

  /// Whether the run's plan may not have been approved: the new run must not work without an
  /// approval.
  private static boolean isPlanOpen(Binding binding) {
    return binding.request().options().plan() && binding.run().state() != RunState.SUCCEEDED;
  }
}
