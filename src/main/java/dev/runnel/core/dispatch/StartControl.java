package dev.runnel.core.dispatch;

import dev.runnel.core.decide.PullRequestFollowUps;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.InfoCard;
import dev.runnel.core.model.InfoCard.Choice;
import dev.runnel.core.model.InfoCard.Row;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.policy.Budget;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Approvals.State;
import dev.runnel.core.port.Store.Starts.Freeze;
import dev.runnel.core.port.Store.Starts.Start;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.recovery.StartFreeze;
import dev.runnel.core.scope.ConversationScope;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Decides whether a permitted start happens now: not while starts are frozen, not before an
/// approval that a rule requires ([StartApprovals]), and not beyond a budget. Its decisions are
/// stored in rows, and so survive a restart.
record StartControl(
    Policy policy,
    Store store,
    AccessCheck accessCheck,
    StartApprovals approvals,
    AttemptResults results) {
  private static final Logger log = LoggerFactory.getLogger(StartControl.class);

  /// Budgets that `usage` cannot show for a person: those of an environment or of a watched
  /// channel.
  private static final Set<Budget.Per> HIDDEN =
      EnumSet.of(Budget.Per.ENVIRONMENT, Budget.Per.WATCH);

  /// @param request the request with all its options
  /// @return false if the attempt is finished
  boolean permitsStart(DeliveryAttempt attempt, Request request) {
    if (isFrozen(attempt)) {
      return false;
    }
    if (store.commit(work -> work.starts().isKnown(attempt.delivery().id()))) {
      return true;
    }
    return maySenderStart(attempt, request)
        && approvals.isApproved(attempt, request)
        && isWithinBudgets(attempt, request);
  }

  /// Whether a message may start a run again that has ended or waits.
  ///
  /// @return false if the attempt is finished, or held until the freeze ends
  boolean permitsRestart(DeliveryAttempt attempt, Binding run) {
    return !holdReport(attempt, run) && !isFrozen(attempt);
  }

  /// During a freeze, lets a message to a run wait until the freeze ends if it contains a report of
  /// Runnel itself, which nobody would send again.
  ///
  /// @return whether the attempt is finished
  boolean holdReport(DeliveryAttempt attempt, Binding run) {
    if (!store.<Boolean>commit(StartFreeze::isOn)) {
      return false;
    }
    var isReport = new boolean[1];
    var isOwned =
        results.commitIfOwned(
            attempt,
            work -> {
              isReport[0] =
                  Stream.concat(Stream.of(attempt.delivery()), attempt.parts().stream())
                      .anyMatch(it -> PullRequestFollowUps.isFollowUp(work, it, run));
              if (isReport[0]) {
                StartFreeze.hold(work, attempt.delivery(), attempt.now());
              }
            });
    return !isOwned || isReport[0];
  }

  private boolean isFrozen(DeliveryAttempt attempt) {
    var frozen = store.commit(work -> work.starts().freeze());
    frozen.ifPresent(freeze -> refuse(results, attempt, refusalOf(freeze), "starts are frozen"));
    return frozen.isPresent();
  }

  /// A reply starts a new run if its own cannot continue. So far only the permission to write to
  /// that run was checked.
  private boolean maySenderStart(DeliveryAttempt attempt, Request request) {
    var delivery = attempt.delivery();
    if (!(delivery.intent() instanceof Intent.Say || delivery.intent() instanceof Intent.SayTo)) {
      return true;
    }
    return switch (accessCheck.check(
        delivery.withIntent(new Intent.Start(request)), Optional.empty())) {
      case AccessCheck.Decision.Permitted _ -> true;
      case AccessCheck.Decision.Refused(var rule, var words, _) -> {
        refuse(results, attempt, words.orElse("You may not start runs here."), rule);
        yield false;
      }
      case AccessCheck.Decision.Unknown(var after, var why) -> {
        results.retrySilently(attempt, after, why);
        yield false;
      }
    };
  }

  static String refusalOf(Freeze freeze) {
    return "Nothing was started: %s froze all starts on %s%s. Send it again after the freeze."
        .formatted(
            freeze.by().name(),
            BudgetCheck.TIME.format(freeze.since()),
            freeze.reason().map(reason -> " (" + reason + ")").orElse(""));
  }

  static void refuse(AttemptResults results, DeliveryAttempt attempt, String words, String why) {
    log.info("start refused delivery={} why={}", attempt.delivery().id(), why);
    results.complete(
        attempt.refused(why),
        work -> {
          forget(work, attempt);
          attempt.react(work, MessageStatus.REFUSED);
          attempt.respond(work, words);
        });
  }

  private boolean isWithinBudgets(DeliveryAttempt attempt, Request request) {
    var delivery = attempt.delivery();
    var start = start(attempt, request);
    var exceeded = new ArrayList<String>();
    var isOwned =
        results.commitIfOwned(
            attempt,
            work -> {
              var check = BudgetCheck.of(policy, work, start);
              exceeded.clear();
              exceeded.addAll(check.exceeded());
              if (exceeded.isEmpty()) {
                work.starts().add(start);
                if (!check.warnings().isEmpty()) {
                  attempt.respondToAllOnce(work, "budget", String.join("\n", check.warnings()));
                  results.listener().budgetNearlyUsed();
                }
              }
            });
    if (!isOwned) {
      return false;
    }
    if (!exceeded.isEmpty()) {
      refuse(results, attempt, String.join("\n", exceeded), "a budget is used up");
      return false;
    }
    log.debug("start within budgets delivery={}", delivery.id());
    return true;
  }

  /// The budgets that apply to a start of the person here, with their use.
  List<Row> budgets(Delivery delivery, Instant now) {
    var start =
        new Start(
            delivery.id(),
            person(delivery),
            ConversationScope.here(delivery.conversation()),
            "",
            now);
    return store.commit(
        work ->
            policy.budgets().stream()
                .filter(budget -> !HIDDEN.contains(budget.per()))
                .map(
                    budget ->
                        Row.of(
                            "Budget",
                            budget.words(
                                BudgetCheck.used(policy, BudgetCheck.sum(work, budget, start))),
                            budget.whose()))
                .toList());
  }

  /// Counts a start whose run exists, unless it is counted.
  static void count(Work work, DeliveryAttempt attempt, Request request) {
    work.starts().add(start(attempt, request));
  }

  private static Start start(DeliveryAttempt attempt, Request request) {
    return new Start(
        attempt.delivery().id(),
        person(attempt.delivery()),
        ConversationScope.here(attempt.conversation()),
        request.options().environment().orElse(""),
        attempt.now());
  }

  static String person(Delivery delivery) {
    return delivery.actor().idOn(delivery.conversation().surface());
  }

  /// Freezes all starts, or unfreezes them.
  void freeze(DeliveryAttempt attempt, Question.Freeze freeze, boolean mayWithoutRules) {
    if (!policy.hasRules() && !mayWithoutRules && !accessCheck.isByOperator(attempt.delivery())) {
      results.complete(
          attempt.refused("only admins may freeze starts"),
          work ->
              attempt.respond(
                  work, "Only admins, named in the configuration, may freeze all starts."));
      return;
    }
    var by = attempt.delivery().actor().name();
    results.complete(
        attempt.noting(freeze.on() ? "to freeze all starts" : "to unfreeze starts"),
        work -> {
          if (freeze.on()) {
            work.starts()
                .freeze(
                    new Freeze(
                        new Actor(person(attempt.delivery()), by), freeze.reason(), attempt.now()));
            var what =
                "%s froze all starts%s. Active runs continue."
                    .formatted(by, freeze.reason().map(it -> ": " + it).orElse(""));
            attempt.respond(
                work,
                new InfoCard("Starts are frozen", List.of(Row.sentence(what)), List.of())
                    .withChoices(List.of(new Choice("Unfreeze", "unfreeze"))));
          } else if (StartFreeze.end(work)) {
            attempt.respondToAll(work, by + " unfroze starts.");
          } else {
            attempt.respond(work, "Starts are not frozen.");
          }
        });
    log.info("starts frozen={} by={}", freeze.on(), attempt.delivery().actor().id());
  }

  /// Removes a start that did not happen, so that no budget counts it.
  static void forget(Work work, DeliveryAttempt attempt) {
    work.starts().remove(attempt.delivery().id());
  }

  /// Removes a start that its sender, or a stop, withdrew, and declines its approval.
  static void withdraw(Work work, Delivery start, Actor by, Instant now) {
    work.starts().remove(start.id());
    work.approvals().decide(start.id(), State.DECLINED, Optional.of(by), now);
  }
}
