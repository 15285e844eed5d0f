package dev.runnel.core.dispatch;

import dev.runnel.core.decide.AuditTrail;
import dev.runnel.core.decide.RunUpdates;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Plan;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.model.run.StopRequest;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Pending;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.text.RunTexts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Cancels runs. A stop overtakes queued deliveries, including a start whose response was lost, and
/// is finished only when it is certain whether that start happened.
record RunCanceller(Store store, AgentRuns runs, RunStarter runStarter, AttemptResults results) {
  private static final Logger log = LoggerFactory.getLogger(RunCanceller.class);

  /// Finishes a stop of a conversation's run that arrives only after a request that was sent later:
  /// the person wanted to stop what the run did before. One that waits for the run service arrived
  /// in time.
  ///
  /// @param own the conversation's run
  /// @return whether the attempt is finished
  boolean ignoreOutdated(DeliveryAttempt attempt, Optional<Binding> own) {
    var isOutdated =
        !attempt.isRetry()
            && attempt.delivery().intent() instanceof Intent.Cancel(var run, _)
            && run.isEmpty()
            && own.filter(Binding::isActive)
                .filter(
                    it -> attempt.delivery().snapshot().at().filter(it::isAskedAfter).isPresent())
                .isPresent();
    if (isOutdated) {
      results.complete(
          attempt.noting("to ignore it: it arrived after a request that was sent later"),
          work -> {
            if (reason(attempt).isEmpty()) {
              attempt.respond(
                  work,
                  "Your stop arrived late: the run has got a later message, so it continues. To"
                      + " stop it, send `stop` again.");
            }
          });
    }
    return isOutdated;
  }

  /// Stops the run, and withdraws queued deliveries.
  void cancel(DeliveryAttempt attempt, Plan.CancelRun plan) {
    if (!requestStop(attempt, plan.binding())) {
      return;
    }
    var queued = withdraw(attempt);
    if (queued.isEmpty()) {
      return;
    }
    var withdrawn = queued.get();
    switch (runs.cancel(plan.binding().run().id())) {
      case Outcome.Done(var run) ->
          finish(
              attempt,
              withdrawn,
              work -> {
                attempt.reactReceived(work);
                saveUnsent(work, plan.binding(), withdrawn);
                saveHandedBack(work, attempt, plan.binding(), withdrawn, run);
                results.notifyChanges(work, attempt, plan.binding(), run);
                var alreadyEnded =
                    AttemptResults.current(work, plan.binding())
                        .filter(current -> current.reopened() && run.state().isTerminal());
                alreadyEnded.ifPresent(current -> AttemptResults.undoReopening(work, current));
                if (withdrawn.hasUnstarted() && run.state() != RunState.CANCELLED) {
                  attempt.respond(work, "Stopped before it started.");
                } else {
                  alreadyEnded.ifPresent(
                      current ->
                          attempt.respond(
                              work, "Nothing to stop: " + RunTexts.state(current, attempt.now())));
                  if (alreadyEnded.isEmpty() && hadFinished(run)) {
                    attempt.respond(work, "It had already finished.");
                  }
                }
              });
      case Outcome.Missing _ ->
          finish(
              attempt,
              withdrawn,
              work -> {
                removeStopRequest(work, attempt, plan.binding());
                attempt.respond(work, RunTexts.GONE);
              });
      // Queued deliveries continue, because the run does.
      case Outcome.Refused refused ->
          results.refuse(
              attempt,
              withLink(refused, plan.binding().run()),
              work -> removeStopRequest(work, attempt, plan.binding()));
      case Outcome.Unavailable(var after, var why) ->
          retryLater(attempt, withdrawn.waiting(), after, why);
    }
  }

  private static boolean hadFinished(Run run) {
    return run.state().isTerminal() && run.state() != RunState.CANCELLED;
  }

  /// Adds a link to where people can stop it themselves.
  private static Outcome.Refused withLink(Outcome.Refused refused, Run run) {
    return new Outcome.Refused(refused.code(), refused.why(), refused.link().or(run::session));
  }

  /// Shows in the status post that a stop was requested, and by whom.
  ///
  /// @return false if another node has taken the delivery over
  private boolean requestStop(DeliveryAttempt attempt, Binding binding) {
    return results.commitIfOwned(
        attempt,
        work ->
            AttemptResults.current(work, binding)
                .filter(current -> current.stop().isEmpty())
                .filter(current -> !current.run().state().isTerminal())
                .map(
                    current ->
                        current.withStop(
                            Optional.of(
                                StopRequest.asked(
                                        attempt
                                            .delivery()
                                            .actorIn(current.conversation().surface()),
                                        attempt.delivery().arrivedAt())
                                    .because(reason(attempt)))))
                .ifPresent(
                    current -> {
                      show(work, attempt, current);
                      AuditTrail.stopRequested(work, attempt.delivery(), current, attempt.now());
                    }));
  }

  private static Optional<String> reason(DeliveryAttempt attempt) {
    return attempt.delivery().intent() instanceof Intent.Cancel(_, var why)
        ? why
        : Optional.empty();
  }

  /// Removes the stop request, because the run continues.
  private static void removeStopRequest(Work work, DeliveryAttempt attempt, Binding binding) {
    AttemptResults.current(work, binding)
        .filter(current -> current.stop().isPresent())
        .map(current -> current.withStop(Optional.empty()))
        .ifPresent(current -> show(work, attempt, current));
  }

  private static void show(Work work, DeliveryAttempt attempt, Binding binding) {
    AttemptResults.save(work, binding);
    attempt.add(
        work, binding.conversation(), RunUpdates.status(binding, binding.run(), attempt.now()));
  }

  private static void saveUnsent(Work work, Binding binding, Withdrawn withdrawn) {
    if (!withdrawn.unsent().isEmpty()) {
      AttemptResults.current(work, binding)
          .filter(current -> current.stop().isPresent())
          .ifPresent(
              current ->
                  AttemptResults.save(
                      work,
                      current.withStop(
                          current
                              .stop()
                              .map(stopRequest -> stopRequest.withUnsent(withdrawn.unsent())))));
    }
  }

  /// Stores the messages that reached the run before the stop did, although the response to them
  /// was lost.
  private static void saveHandedBack(
      Work work, DeliveryAttempt attempt, Binding binding, Withdrawn withdrawn, Run run) {
    for (var waiting : withdrawn.waiting()) {
      var message = waiting.item();
      if (run.replies().filter(replies -> replies.unread().contains(message.id())).isPresent()) {
        var reply =
            new DeliveryAttempt(
                    message, work.inbox().joined(message.id()), waiting.tries(), attempt.now())
                .reply(run);
        AttemptResults.current(work, binding)
            .ifPresent(current -> AttemptResults.save(work, current.withPendingReply(reply)));
      }
    }
  }

  /// Handles a stop without an active run, which may refer to queued deliveries.
  void withdrawQueued(DeliveryAttempt attempt, List<Update> updates) {
    withdraw(attempt)
        .ifPresent(
            withdrawn ->
                finish(
                    attempt,
                    withdrawn,
                    work -> reportWithdrawn(work, attempt, withdrawn, updates)));
  }

  /// @param otherwise the updates to post if nothing was queued
  private static void reportWithdrawn(
      Work work, DeliveryAttempt attempt, Withdrawn withdrawn, List<Update> otherwise) {
    if (!withdrawn.ended().isEmpty()) {
      attempt.respond(work, "Nothing to stop: the run had ended.");
    } else if (withdrawn.hasUnstarted()) {
      attempt.respond(work, "Stopped before it started.");
    } else {
      otherwise.forEach(update -> attempt.add(work, update));
    }
  }

  /// Handles a stop that was not addressed to Runnel. It is answered only if it withdraws a
  /// delivery that was addressed. The removal of a label is never answered.
  void withdrawUnaddressed(DeliveryAttempt attempt) {
    var isCommand =
        attempt.delivery().intent() instanceof Intent.Cancel(_, var why) && why.isEmpty();
    withdraw(attempt)
        .ifPresent(
            withdrawn ->
                finish(
                    attempt,
                    withdrawn,
                    work -> {
                      if (isCommand && withdrawn.isForUs()) {
                        reportWithdrawn(work, attempt, withdrawn, List.of());
                      }
                    }));
  }

  /// The deliveries that a stop withdraws.
  ///
  /// @param waiting all withdrawn deliveries
  /// @param ended those that had started a run which ended by itself before it was stopped
  /// @param unsent the text of the messages that were to be sent to a run, and were not
  private record Withdrawn(
      List<Pending<Delivery>> waiting, List<Ended> ended, List<String> unsent) {
    boolean hasUnstarted() {
      return waiting.size() > ended.size();
    }

    /// Queued deliveries may be messages between people, which would be ignored.
    boolean isForUs() {
      return waiting.stream().anyMatch(each -> each.item().addressed());
    }
  }

  private record Ended(Pending<Delivery> start, Run run) {}

  /// Collects the conversation's queued deliveries, which a stop overtakes. If one of them may have
  /// started a run, that run is looked up and stopped. While the result is unknown, the stop and
  /// the queued deliveries are retried later.
  ///
  /// @return empty if the attempt is finished
  private Optional<Withdrawn> withdraw(DeliveryAttempt attempt) {
    var waiting =
        store.<List<Pending<Delivery>>>commit(
            work ->
                work.inbox().waiting(attempt.conversation()).stream()
                    .filter(each -> !each.item().isSentAfter(attempt.delivery()))
                    .toList());
    var ended = new ArrayList<Ended>();
    for (var begun : waiting.stream().filter(each -> each.tries() > 0).toList()) {
      switch (stopStarted(begun.item())) {
        case Outcome.Done(var run) -> {
          if (run.state() != RunState.CANCELLED) {
            ended.add(new Ended(begun, run));
          }
        }
        case Outcome.Missing _ -> {}
        case Outcome.Unavailable(var after, var why) -> {
          retryLater(attempt, waiting, after, why);
          return Optional.empty();
        }
        // The delivery stays queued, so that its run, which continues, is bound and watched.
        case Outcome.Refused refused -> {
          results.refuse(attempt, refused);
          return Optional.empty();
        }
      }
    }
    return Optional.of(new Withdrawn(waiting, ended, unsent(waiting)));
  }

  /// The messages that were never attempted; the others may have arrived.
  private List<String> unsent(List<Pending<Delivery>> waiting) {
    var messages =
        waiting.stream()
            .map(Pending::item)
            .filter(each -> each.intent() instanceof Intent.Say)
            .toList();
    return messages.isEmpty()
        ? List.of()
        : store.<List<String>>commit(
            work ->
                messages.stream()
                    .filter(each -> isWaiting(work, each))
                    .map(each -> new DeliveryAttempt(each, 0, each.arrivedAt()).excerpt())
                    .toList());
  }

  private static boolean isWaiting(Work work, Delivery delivery) {
    return work.inbox()
        .findByMeaning(delivery.conversation().surface(), delivery.meaning())
        .filter(Store.Inbox.Known::waits)
        .isPresent();
  }

  private void retryLater(
      DeliveryAttempt attempt,
      List<Pending<Delivery>> behind,
      Optional<Duration> after,
      String why) {
    var due = results.retryLater(attempt, after, why);
    store.change(
        work ->
            behind.forEach(
                each -> work.inbox().postpone(each.item().id(), due, "A stop is processed first")));
  }

  /// Withdraws and notifies in one transaction, so that a crash cannot drop the notification.
  private void finish(DeliveryAttempt attempt, Withdrawn withdrawn, Consumer<Work> result) {
    results.complete(
        attempt,
        work -> {
          withdrawn.ended().forEach(each -> postEnd(work, attempt, each));
          withdrawn.waiting().forEach(each -> withdraw(work, attempt, each, withdrawn));
          result.accept(work);
        });
    if (withdrawn.hasUnstarted()) {
      log.info(
          "deliveries withdrawn conversation={} count={} at={}",
          attempt.conversation(),
          withdrawn.waiting().size(),
          attempt.now());
    }
  }

  private static void withdraw(
      Work work, DeliveryAttempt attempt, Pending<Delivery> waiting, Withdrawn withdrawn) {
    var delivery = waiting.item();
    work.inbox().done(delivery.id());
    work.outbox().withdraw(AttemptResults.delayNotice(delivery));
    if (withdrawn.ended().stream().noneMatch(each -> each.start().equals(waiting))) {
      StartControl.withdraw(work, delivery, attempt.delivery().actor(), attempt.now());
    }
    var stopped = new DeliveryAttempt(delivery, waiting.tries(), attempt.now());
    AttemptResults.reportNotStarted(work, stopped);
    var isForUs = delivery.addressed() || work.bindings().of(delivery.conversation()).isPresent();
    if (isForUs && withdrawn.ended().stream().noneMatch(each -> each.start().equals(waiting))) {
      stopped.react(work, MessageStatus.CANCELLED);
    }
  }

  /// Posts the end of a run that was not announced yet, as for any run.
  private static void postEnd(Work work, DeliveryAttempt attempt, Ended ended) {
    var start = ended.start().item();
    start
        .intent()
        .agentRequest()
        .or(() -> work.bindings().of(start.conversation()).map(Binding::request))
        .ifPresent(
            request ->
                RunStarter.bind(
                    work,
                    new DeliveryAttempt(start, ended.start().tries(), attempt.now()),
                    new Plan.StartRun(start.conversation(), request),
                    ended.run()));
  }

  /// Stops the run that the delivery may have started.
  private Outcome stopStarted(Delivery begun) {
    if (begun.origin().opensThread()) {
      return new Outcome.Missing();
    }
    return switch (runStarter.startedBy(begun)) {
      case Outcome.Done(var run) -> runs.cancel(run.id());
      case Outcome.Missing missing -> missing;
      case Outcome.Unavailable busy -> busy;
      case Outcome.Refused(var code, var why, _) ->
          new Outcome.Unavailable(Optional.empty(), code + ": " + why);
    };
  }
}
