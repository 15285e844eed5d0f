package dev.runnel.core.dispatch;

import dev.runnel.core.decide.AuditTrail;
import dev.runnel.core.decide.PullRequestFollowUps;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.InfoCard;
import dev.runnel.core.model.InfoCard.Choice;
import dev.runnel.core.model.InfoCard.Row;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.policy.ApprovalRule;
import dev.runnel.core.policy.Budget;
import dev.runnel.core.policy.PeopleNames;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Approvals.Approval;
import dev.runnel.core.port.Store.Approvals.State;
import dev.runnel.core.port.Store.Starts.Freeze;
import dev.runnel.core.port.Store.Starts.Start;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.recovery.StartFreeze;
import dev.runnel.core.scope.ConversationScope;
import dev.runnel.core.text.AnswerFormatter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Decides whether a permitted start happens now: not while starts are frozen, not before an
/// approval that a rule requires, and not beyond a budget. Its decisions are stored in rows, and so
/// survive a restart.
record StartControl(Policy policy, Store store, AccessCheck accessCheck, AttemptResults results) {
  private static final Logger log = LoggerFactory.getLogger(StartControl.class);
  private static final int ID_LENGTH = 8;

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
        && isApproved(attempt, request)
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
    frozen.ifPresent(freeze -> refuse(attempt, refusalOf(freeze), "starts are frozen"));
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
        refuse(attempt, words.orElse("You may not start runs here."), rule);
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

  private void refuse(DeliveryAttempt attempt, String words, String why) {
    log.info("start refused delivery={} why={}", attempt.delivery().id(), why);
    results.complete(
        attempt.refused(why),
        work -> {
          forget(work, attempt);
          attempt.react(work, MessageStatus.REFUSED);
          attempt.respond(work, words);
        });
  }

  private boolean isApproved(DeliveryAttempt attempt, Request request) {
    if (policy.approvals().isEmpty() || isByOperator(attempt.delivery())) {
      return true;
    }
    var known = store.commit(work -> work.approvals().of(attempt.delivery().id()));
    if (known.isPresent()) {
      return isDecided(attempt, known.get(), request);
    }
    var isFirst = store.<Boolean>commit(work -> work.starts().isFirst(person(attempt.delivery())));
    var rule = policy.approval(accessCheck.start(attempt.delivery(), request), isFirst);
    rule.ifPresent(it -> ask(attempt, request, it));
    return rule.isEmpty();
  }

  private boolean isByOperator(Delivery delivery) {
    return accessCheck
        .surface(delivery)
        .filter(it -> it.senders().isByOperator(delivery))
        .isPresent();
  }

  private void ask(DeliveryAttempt attempt, Request request, ApprovalRule rule) {
    var delivery = attempt.delivery();
    var approval =
        new Approval(
            id(delivery),
            delivery.id(),
            attempt.conversation(),
            delivery.actor(),
            rule.name(),
            rule.by(),
            rule.notRequester(),
            request,
            attempt.now(),
            attempt.now().plus(rule.within()),
            State.WAITING,
            Optional.empty());
    results.commitIfOwned(
        attempt,
        work -> {
          work.approvals().add(approval);
          attempt.react(work, MessageStatus.QUEUED);
          attempt.add(work, new Update.Answered(delivery.actor(), card(approval, request, rule)));
          var note = "to wait for approval (" + rule.name() + ")";
          work.inbox().note(delivery.id(), note);
          attempt
              .ruling()
              .ifPresent(
                  it ->
                      AuditTrail.add(work, delivery, it.waiting(rule.name()), note, attempt.now()));
          waitUntil(work, attempt, approval.expiresAt());
        });
    log.info("start waits for approval delivery={} rule={}", delivery.id(), rule.name());
  }

  /// Does not count as an attempt.
  private static void waitUntil(Work work, DeliveryAttempt attempt, Instant due) {
    work.inbox().replace(attempt.delivery());
    work.inbox().postpone(attempt.delivery().id(), due, "It waits for approval");
  }

  private static InfoCard card(Approval approval, Request request, ApprovalRule rule) {
    var rows = new ArrayList<Row>();
    rows.add(Row.of("Asked by", approval.requester().name()));
    rows.add(Row.of("Request", AnswerFormatter.excerpt(approval.request().text())));
    request.options().environment().ifPresent(it -> rows.add(Row.of("Environment", it)));
    request.options().model().ifPresent(it -> rows.add(Row.of("Model", it)));
    rows.add(
        Row.of(
                "Who may approve",
                PeopleNames.words(rule.by(), approval.conversation().id()),
                rule.notRequester() ? "not the requester" : "")
            .mentioning());
    rows.add(Row.of("Until", BudgetCheck.TIME.format(approval.expiresAt()), "declined after that"));
    return new InfoCard("This start waits for approval", rows, List.of())
        .withChoices(
            List.of(
                new Choice("Approve", "approve " + approval.id()),
                new Choice("Decline", "decline " + approval.id())));
  }

  /// Derived from the delivery, so that a repeated attempt requests the same approval.
  private static String id(Delivery delivery) {
    var bytes = delivery.id().value().getBytes(StandardCharsets.UTF_8);
    return UUID.nameUUIDFromBytes(bytes).toString().substring(0, ID_LENGTH);
  }

  /// An older version stored the environment as it was named.
  private Request known(Request stored) {
    var environments = accessCheck.defaultsResolver().defaults().environments();
    return new Request(stored.text(), environments.of(stored.options()));
  }

  /// While a request waits, it may be edited, and defaults may change: an approval is only valid
  /// for the request as it was shown.
  private boolean isDecided(DeliveryAttempt attempt, Approval approval, Request request) {
    switch (approval.state()) {
      case APPROVED -> {
        if (known(approval.request()).equals(request)) {
          return true;
        }
        refuse(
            attempt,
            "The request changed after its approval was requested, so nothing was started. Send it"
                + " again.",
            "the request changed after its approval was requested");
        return false;
      }
      case WAITING -> {
        if (attempt.now().isBefore(approval.expiresAt())) {
          results.commitIfOwned(attempt, work -> waitUntil(work, attempt, approval.expiresAt()));
        } else {
          results.complete(
              attempt.refused("nobody approved it in time"),
              work -> {
                work.approvals()
                    .decide(approval.delivery(), State.EXPIRED, Optional.empty(), attempt.now());
                attempt.react(work, MessageStatus.REFUSED);
                attempt.respondToAll(
                    work, "Nobody approved this in time, so nothing was started. Send it again.");
              });
        }
        return false;
      }
      case DECLINED, EXPIRED -> {
        results.complete(
            attempt.refused("it was declined"), work -> attempt.react(work, MessageStatus.REFUSED));
        return false;
      }
    }
    throw new IllegalStateException("Unknown state " + approval.state());
  }

  /// Handles a person's decision about a start that waits for approval.
  void decide(DeliveryAttempt attempt, Question.Decide decision) {
    var named =
        store.<List<Approval>>commit(
            work ->
                decision
                    .approval()
                    .map(id -> work.approvals().startingWith(id))
                    .orElseGet(
                        () -> work.approvals().waiting(Optional.of(attempt.conversation()))));
    var waiting = named.stream().filter(it -> it.state() == State.WAITING).toList();
    var found = waiting.isEmpty() ? named : waiting;
    if (found.size() != 1) {
      results.complete(attempt, work -> attempt.respond(work, whichOne(found)));
      return;
    }
    var approval = found.getFirst();
    var refusal = refusal(attempt.delivery(), approval, attempt.now());
    if (refusal.isPresent()) {
      results.complete(
          attempt.refused(approval.rule()), work -> attempt.respond(work, refusal.get()));
      return;
    }
    var state = decision.approved() ? State.APPROVED : State.DECLINED;
    var by = attempt.delivery().actor().name();
    results.complete(
        attempt.noting(
            "to %s the start %s"
                .formatted(decision.approved() ? "approve" : "decline", approval.id())),
        work -> {
          if (!work.inbox().isWaiting(approval.delivery())
              || !work.approvals()
                  .decide(
                      approval.delivery(),
                      state,
                      Optional.of(attempt.delivery().actor()),
                      attempt.now())) {
            attempt.respond(work, "That start no longer waits for approval.");
            return;
          }
          work.inbox().makeDue(approval.delivery(), "Its approval was decided");
          attempt.add(
              work,
              approval.conversation(),
              new Update.Message(
                  approval.requester(),
                  decision.approved()
                      ? "Approved by %s. The run starts.".formatted(by)
                      : "Declined by %s. Nothing was started.".formatted(by),
                  false));
        });
    log.info("start decided approval={} state={}", approval.id(), state);
  }

  private static String whichOne(List<Approval> found) {
    return found.isEmpty()
        ? "No start waits for approval here."
        : "Several starts wait for approval. Name one: "
            + String.join(", ", found.stream().map(it -> "`" + it.id() + "`").toList())
            + ".";
  }

  private Optional<String> refusal(Delivery delivery, Approval approval, Instant now) {
    if (approval.state() != State.WAITING) {
      return Optional.of(
          "That start was %s%s."
              .formatted(
                  approval.state().name().toLowerCase(Locale.ROOT),
                  approval.decidedBy().map(by -> " by " + by).orElse("")));
    }
    if (!now.isBefore(approval.expiresAt())) {
      return Optional.of("It is too late to decide this. The request must be sent again.");
    }
    if (isByOperator(delivery)) {
      return Optional.empty();
    }
    var rule = policy.approvalRule(approval.by(), approval.notRequester());
    if (rule.isEmpty()) {
      return Optional.of(
          "The rule that required the approval changed. The request must be sent again.");
    }
    // Without that account it is unknown whether it is the same person.
    if (rule.get().notRequester() && !accessCheck.hasAccountOn(approval.conversation(), delivery)) {
      return Optional.of(
          "Decide this where it was requested, or in the console, signed in with your account"
              + " there.");
    }
    var isRequester = accessCheck.isSender(approval.requester(), approval.conversation(), delivery);
    var mayApprove =
        accessCheck
            .names(delivery)
            .filter(
                person ->
                    policy.mayApprove(rule.get(), person.names(), person.isMember(), isRequester))
            .filter(
                person ->
                    !policy.refuses(
                        person.names(), approval.conversation().id(), Permission.APPROVE))
            .isPresent();
    var who = PeopleNames.words(rule.get().by(), delivery.conversation().id());
    return mayApprove
        ? Optional.empty()
        : Optional.of(
            isRequester && rule.get().notRequester()
                ? "You requested it, so somebody else must approve it: " + who + "."
                : "You may not decide this. These may: " + who + ".");
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
      refuse(attempt, String.join("\n", exceeded), "a budget is used up");
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

  private static Start start(DeliveryAttempt attempt, Request request) {
    return new Start(
        attempt.delivery().id(),
        person(attempt.delivery()),
        ConversationScope.here(attempt.conversation()),
        request.options().environment().orElse(""),
        attempt.now());
  }

  private static String person(Delivery delivery) {
    return delivery.actor().idOn(delivery.conversation().surface());
  }

  /// Freezes all starts, or unfreezes them.
  void freeze(DeliveryAttempt attempt, Question.Freeze freeze, boolean mayWithoutRules) {
    if (!policy.hasRules() && !mayWithoutRules && !isByOperator(attempt.delivery())) {
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
