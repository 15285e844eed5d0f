package dev.runnel.core.dispatch;

import dev.runnel.core.decide.AuditTrail;
import dev.runnel.core.decide.Changes;
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
final class RunCanceller {
  private static final Logger log = LoggerFactory.getLogger(RunCanceller.class);

  private final Store store;
  private final AgentRuns runs;
  private final RunStarter runStarter;
  private final AttemptResults results;

  RunCanceller(Store store, AgentRuns runs, RunStarter runStarter, AttemptResults results) {
    this.store = store;
    this.runs = runs;
    this.runStarter = runStarter;
    this.results = results;
  }

  /// Stops the run, and withdraws queued deliveries.
  void cancel(DeliveryAttempt attempt, Plan.CancelRun plan) {
    if (!ask(attempt, plan.binding())) {
      return;
    }
    var withdrawn = withdraw(attempt);
    if (withdrawn.isEmpty()) {
      return;
    }
    var taken = withdrawn.get();
    switch (runs.cancel(plan.binding().run().id())) {
      case Outcome.Done(var run) ->
          finish(
              attempt,
              taken,
              work -> {
                attempt.reactReceived(work);
                keepUnsent(work, plan.binding(), taken);
                saveHandedBack(work, attempt, plan.binding(), taken, run);
                results.notifyChanges(work, attempt, plan.binding(), run);
                var needless =
                    AttemptResults.current(work, plan.binding())
                        .filter(current -> current.reopened() && run.state().isTerminal());
                needless.ifPresent(current -> AttemptResults.stopWatching(work, current));
                if (taken.any() && run.state() != RunState.CANCELLED) {
                  attempt.respond(work, "Stopped before it started.");
                } else {
                  needless.ifPresent(
                      current ->
                          attempt.respond(
                              work, "Nothing to stop: " + RunTexts.state(current, attempt.now())));
                  if (needless.isEmpty() && hadFinished(run)) {
                    attempt.respond(work, "It had already finished.");
                  }
                }
              });
      case Outcome.Missing _ ->
          finish(
              attempt,
              taken,
              work -> {
                removeStopRequest(work, attempt, plan.binding());
                attempt.respond(work, "The run service no longer has this run.");
              });
      // Queued deliveries continue, because the run does.
      case Outcome.Refused refused ->
          results.refuse(
              attempt,
              withLink(refused, plan.binding().run()),
              work -> removeStopRequest(work, attempt, plan.binding()));
      case Outcome.Unavailable(var after, var why) -> waits(attempt, taken.waiting(), after, why);
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
  private boolean ask(DeliveryAttempt attempt, Binding binding) {
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
                      AuditTrail.stopAsked(work, attempt.delivery(), current, attempt.now());
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
        work, binding.conversation(), Changes.status(binding, binding.run(), attempt.now()));
  }

  private static void keepUnsent(Work work, Binding binding, Withdrawn taken) {
    if (!taken.unsent().isEmpty()) {
      AttemptResults.current(work, binding)
          .filter(current -> current.stop().isPresent())
          .ifPresent(
              current ->
                  AttemptResults.save(
                      work,
                      current.withStop(
                          current
                              .stop()
                              .map(stopRequest -> stopRequest.withUnsent(taken.unsent())))));
    }
  }

  /// Stores the messages that reached the run before the stop did, although the response to them
  /// was lost.
  private static void saveHandedBack(
      Work work, DeliveryAttempt attempt, Binding binding, Withdrawn taken, Run run) {
    for (var waiting : taken.waiting()) {
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

  /// Handles a stop without a run to stop; queued deliveries may be meant.
  void tell(DeliveryAttempt attempt, List<Update> updates) {
    withdraw(attempt)
        .ifPresent(
            taken ->
                finish(attempt, taken, work -> reportWithdrawn(work, attempt, taken, updates)));
  }

  /// @param otherwise the updates to post if nothing was queued
  private static void reportWithdrawn(
      Work work, DeliveryAttempt attempt, Withdrawn taken, List<Update> otherwise) {
    if (!taken.ended().isEmpty()) {
      attempt.respond(work, "Nothing to stop: the run had ended.");
    } else if (taken.any()) {
      attempt.respond(work, "Stopped before it started.");
    } else {
      otherwise.forEach(update -> attempt.add(work, update));
    }
  }

  /// Handles a stop that was not addressed to Runnel: it is answered only if it withdraws a
  /// delivery that was. The removal of a label is never answered.
  void ignore(DeliveryAttempt attempt) {
    var isCommand =
        attempt.delivery().intent() instanceof Intent.Cancel(_, var why) && why.isEmpty();
    withdraw(attempt)
        .ifPresent(
            taken ->
                finish(
                    attempt,
                    taken,
                    work -> {
                      if (isCommand && taken.isForUs()) {
                        reportWithdrawn(work, attempt, taken, List.of());
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
    boolean any() {
      return waiting.size() > ended.size();
    }

    /// Messages between people may be queued, only to be ignored.
    boolean isForUs() {
      return waiting.stream().anyMatch(each -> each.item().addressed());
    }
  }

  private record Ended(Pending<Delivery> start, Run run) {}

  /// Collects the conversation's queued deliveries, which a stop overtakes. If one of them may have
  /// started a run, that run is looked up and stopped; while the result is unknown, the stop waits,
  /// and all that it would withdraw waits behind it.
  ///
  /// @return empty if the attempt is finished
  private Optional<Withdrawn> withdraw(DeliveryAttempt attempt) {
    var waiting =
        store.<List<Pending<Delivery>>>commit(
            work ->
                work.inbox().waiting(attempt.conversation()).stream()
                    .filter(
                        each -> !each.item().arrivedAt().isAfter(attempt.delivery().arrivedAt()))
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
          waits(attempt, waiting, after, why);
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

  private void waits(
      DeliveryAttempt attempt,
      List<Pending<Delivery>> behind,
      Optional<Duration> after,
      String why) {
    var due = results.retryLater(attempt, after, why);
    store.change(
        work ->
            behind.forEach(each -> work.inbox().later(each.item().id(), due, "A stop goes first")));
  }

  /// Withdraws and notifies in one transaction, so that a crash cannot drop the notification.
  private void finish(DeliveryAttempt attempt, Withdrawn taken, Consumer<Work> result) {
    results.complete(
        attempt,
        work -> {
          taken.ended().forEach(each -> tellEnd(work, attempt, each));
          taken.waiting().forEach(each -> withdraw(work, attempt, each, taken));
          result.accept(work);
        });
    if (taken.any()) {
      log.info(
          "deliveries withdrawn conversation={} count={} at={}",
          attempt.conversation(),
          taken.waiting().size(),
          attempt.now());
    }
  }

  private static void withdraw(
      Work work, DeliveryAttempt attempt, Pending<Delivery> waiting, Withdrawn taken) {
    var delivery = waiting.item();
    work.inbox().done(delivery.id());
    work.outbox().withdraw(AttemptResults.kept(delivery));
    if (taken.ended().stream().noneMatch(each -> each.start().equals(waiting))) {
      StartControl.withdrawn(work, delivery, attempt.delivery().actor(), attempt.now());
    }
    var withdrawn = new DeliveryAttempt(delivery, waiting.tries(), attempt.now());
    AttemptResults.tellUnstarted(work, withdrawn);
    var isForUs = delivery.addressed() || work.bindings().of(delivery.conversation()).isPresent();
    if (isForUs && taken.ended().stream().noneMatch(each -> each.start().equals(waiting))) {
      withdrawn.react(work, MessageStatus.CANCELLED);
    }
  }

  /// Posts the end of a run that was not announced yet, as for any run.
  private static void tellEnd(Work work, DeliveryAttempt attempt, Ended ended) {
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
