package dev.runnel.core.dispatch;

import dev.runnel.core.decide.AuditTrail;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.InfoCard;
import dev.runnel.core.model.InfoCard.Choice;
import dev.runnel.core.model.InfoCard.Row;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.policy.ApprovalRule;
import dev.runnel.core.policy.PeopleNames;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Approvals.Approval;
import dev.runnel.core.port.Store.Approvals.State;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.text.AnswerFormatter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lets a start wait until somebody approves it, if a rule requires that, and handles people's
/// decisions.
record StartApprovals(Policy policy, Store store, AccessCheck accessCheck, AttemptResults results) {
  private static final Logger log = LoggerFactory.getLogger(StartApprovals.class);
  private static final int ID_LENGTH = 8;

  /// @param request the request with all its options
  /// @return false if the attempt is finished, or waits for the approval
  boolean isApproved(DeliveryAttempt attempt, Request request) {
    if (policy.approvals().isEmpty() || accessCheck.isByOperator(attempt.delivery())) {
      return true;
    }
    var known = store.commit(work -> work.approvals().of(attempt.delivery().id()));
    if (known.isPresent()) {
      return isDecided(attempt, known.get(), request);
    }
    var isFirst =
        store.<Boolean>commit(
            work -> work.starts().isFirst(StartControl.person(attempt.delivery())));
    var rule = policy.approval(accessCheck.start(attempt.delivery(), request), isFirst);
    rule.ifPresent(it -> ask(attempt, request, it));
    return rule.isEmpty();
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
        StartControl.refuse(
            results,
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
    if (accessCheck.isByOperator(delivery)) {
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
}
