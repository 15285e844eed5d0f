package dev.runnel.core.dispatch;

import dev.runnel.core.decide.RunAccessPolicy;
import dev.runnel.core.decide.RunSubscribers;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.InfoCard;
import dev.runnel.core.model.InfoCard.Choice;
import dev.runnel.core.model.InfoCard.Row;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Plan;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.port.CredentialRefused;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Issues.Claim;
import dev.runnel.core.port.Store.Issues.Participation;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.scope.ConversationScope;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.core.text.RunTexts;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Prevents two requests about one issue, such as a label on it and its link in a chat, from
/// starting two runs at the same time. Each start about an issue first claims it by a row, so that
/// this works across platforms and nodes.
record IssueClaims(
    Store store,
    Surfaces surfaces,
    AccessCheck accessCheck,
    RunAccessPolicy runAccessPolicy,
    AttemptResults results,
    SameIssueAction sameIssue) {
  private static final Pattern LINK = Pattern.compile("https?://[^\\s<>|\"'`()\\[\\]]+");
  private static final Pattern AT_END = Pattern.compile("(?<![.,;:!?])[.,;:!?]+$");

  /// Between two checks whether the other request has started its run. It waits as long as it has
  /// waited already, within these bounds.
  private static final Duration MIN_CHECK_DELAY = Duration.ofSeconds(5);

  private static final Duration MAX_CHECK_DELAY = Duration.ofMinutes(1);

  private sealed interface ClaimResult {
    /// The request may start its run.
    record Free() implements ClaimResult {}

    /// Another request is about to start one.
    record Starting() implements ClaimResult {}

    record Working(Binding binding) implements ClaimResult {}
  }

  /// @return false if the attempt is finished
  boolean permitsStart(DeliveryAttempt attempt, Plan.StartRun start) {
    var issue =
        mayShareRun(attempt.delivery()) ? issue(attempt.delivery()) : Optional.<Issue>empty();
    if (issue.isEmpty()) {
      return true;
    }
    var mine = new Claim(start.conversation(), attempt.delivery().id());
    return switch (store.<ClaimResult>commit(
        work -> claim(work, issue.get().conversation(), mine))) {
      case ClaimResult.Free _ -> true;
      case ClaimResult.Starting _ -> {
        waitForOtherStart(attempt);
        yield false;
      }
      // The sender must not learn of a run that they may not join.
      case ClaimResult.Working(var binding) when !mayJoinNow(attempt.delivery(), binding) -> true;
      case ClaimResult.Working(var binding) -> {
        if (sameIssue == SameIssueAction.ASK) {
          ask(attempt, issue.get(), binding);
        } else {
          join(attempt, binding.run().id());
        }
        yield false;
      }
    };
  }

  /// Whether the request may go to another run instead. `new:` and `retry` explicitly start a run;
  /// on a silent surface nobody could choose.
  private boolean mayShareRun(Delivery delivery) {
    return sameIssue != SameIssueAction.START
        && (delivery.intent() instanceof Intent.Start || delivery.intent() instanceof Intent.Say)
        && surfaces
            .find(delivery.conversation().surface())
            .filter(surface -> !surface.isSilent())
            .isPresent();
  }

  /// A request does not wait until another platform accepts our credential; it starts another run.
  private boolean mayJoinNow(Delivery delivery, Binding run) {
    try {
      return mayJoin(delivery, run);
    } catch (CredentialRefused refused) {
      if (refused.surface().isEmpty()) {
        throw refused;
      }
      return false;
    }
  }

  private boolean mayJoin(Delivery delivery, Binding run) {
    return accessCheck.mayWriteTo(run, delivery) && maySee(delivery, run);
  }

  /// Whether the delivery is for a run in which its conversation takes part, and the sender may not
  /// see that run: somebody else joined it, or its channel is private by now. A stop is permitted.
  boolean isForbidden(Delivery delivery, Binding run) {
    var intent = delivery.intent();
    return (intent instanceof Intent.Say
            || intent instanceof Intent.Status
            || intent instanceof Intent.Retry)
        && intent.namedRun().isEmpty()
        && takesPart(delivery.conversation(), run)
        && !maySee(delivery, run);
  }

  private boolean takesPart(Conversation conversation, Binding run) {
    return store
        .<Optional<Participation>>commit(work -> work.issues().participation(conversation))
        .filter(participation -> participation.run().equals(run.run().id()))
        .isPresent();
  }

  /// Whether the sender may see the run from another conversation. Its requester and the people of
  /// its channel or repository may. If that is public, the admins and people of other platforms may
  /// too.
  private boolean maySee(Delivery delivery, Binding run) {
    var here = delivery.conversation();
    var there = run.conversation();
    if (ConversationScope.isIn(there, ConversationScope.here(here))
        || accessCheck.isRequester(run, delivery)) {
      return true;
    }
    return (!there.surface().equals(here.surface()) || runAccessPolicy.mayName(delivery, run))
        && isPublic(delivery.withConversation(there));
  }

  private boolean isPublic(Delivery there) {
    try {
      return surfaces
          .find(there.conversation().surface())
          .filter(surface -> !surface.background().isPrivate(there))
          .isPresent();
    } catch (CredentialRefused refused) {
      throw refused.by(there.conversation().surface());
    }
  }

  private record Issue(Conversation conversation, URI link) {}

  /// The issue in which the request was made, or the only one to which it links.
  private Optional<Issue> issue(Delivery delivery) {
    var own =
        delivery
            .origin()
            .link()
            .flatMap(
                link ->
                    surfaces
                        .find(delivery.conversation().surface())
                        .flatMap(surface -> surface.links().issue(link))
                        .map(issue -> new Issue(issue, link)));
    if (own.isPresent()) {
      return own;
    }
    var named =
        delivery.intent().agentRequest().map(Request::text).stream()
            .flatMap(text -> LINK.matcher(text).results())
            .map(MatchResult::group)
            .flatMap(link -> link(AT_END.matcher(link).replaceFirst("")))
            .flatMap(
                link ->
                    surfaces.byId().values().stream()
                        .flatMap(surface -> surface.links().issue(link).stream())
                        .map(issue -> new Issue(issue, link)))
            .toList();
    return named.stream().map(Issue::conversation).distinct().count() == 1
        ? Optional.of(named.getFirst())
        : Optional.empty();
  }

  private static Stream<URI> link(String text) {
    try {
      return Stream.of(new URI(text));
    } catch (URISyntaxException odd) {
      return Stream.empty();
    }
  }

  private static ClaimResult claim(Work work, Conversation issue, Claim mine) {
    var held = work.issues().claim(issue, mine);
    if (!held.conversation().equals(mine.conversation())) {
      var binding = work.bindings().of(held.conversation()).filter(Binding::isActive);
      if (binding.isPresent()) {
        return new ClaimResult.Working(binding.get());
      }
      if (work.inbox().isWaiting(held.delivery())) {
        return new ClaimResult.Starting();
      }
    }
    return held.equals(mine) || work.issues().replace(issue, held, mine)
        ? new ClaimResult.Free()
        : new ClaimResult.Starting();
  }

  /// Does not count as an attempt.
  private void waitForOtherStart(DeliveryAttempt attempt) {
    var delivery = attempt.delivery();
    var waited = Duration.between(delivery.arrivedAt(), attempt.now());
    var delay =
        Duration.ofMillis(
            Math.clamp(waited.toMillis(), MIN_CHECK_DELAY.toMillis(), MAX_CHECK_DELAY.toMillis()));
    results.commitIfOwned(
        attempt,
        work -> {
          if (!attempt.isRetry()) {
            work.inbox().replace(delivery);
          }
          work.inbox()
              .postpone(
                  delivery.id(),
                  attempt.now().plus(delay),
                  "Another request about the same issue is about to start a run");
          if (!isMarked(work, delivery)) {
            attempt.react(work, MessageStatus.QUEUED);
          }
          if (waited.compareTo(AttemptResults.REPORT_DELAY_AFTER) >= 0) {
            attempt.respondToAllOnce(
                work,
                "claimed",
                "Your request waits: another request about the same issue came first, and is about"
                    + " to start a run.");
          }
        });
  }

  private static boolean isMarked(Work work, Delivery delivery) {
    return delivery
        .origin()
        .message()
        .map(it -> work.outbox().reactions(delivery.conversation(), it))
        .filter(it -> it.contains(MessageStatus.QUEUED))
        .isPresent();
  }

  private void ask(DeliveryAttempt attempt, Issue issue, Binding binding) {
    var delivery = attempt.delivery();
    var card =
        new InfoCard(
                "A run is already working on this issue. Should your request go to it, or start"
                    + " another run?",
                List.of(
                    new Row("Issue", issue.link().toString(), "", Optional.empty()),
                    new Row(
                        "Run",
                        RunTexts.state(binding, attempt.now()),
                        "",
                        binding.origin().link())),
                List.of())
            .withChoices(
                List.of(
                    new Choice("Send it to that run", "join"),
                    new Choice("Start another run", "separate")));
    results.complete(
        attempt.noting("to ask whether it goes to the run that works on the same issue"),
        work -> {
          work.issues()
              .join(
                  attempt.conversation(),
                  new Participation(binding.run().id(), Optional.of(delivery.meaning())));
          attempt.react(work, MessageStatus.QUEUED);
          attempt.add(work, new Update.Answered(delivery.actor(), card));
        });
  }

  /// Executes the choice.
  void choose(DeliveryAttempt attempt, Question.Join choice) {
    var here = attempt.conversation();
    var participation =
        store.<Optional<Participation>>commit(
            work -> work.issues().participation(here).filter(it -> it.request().isPresent()));
    var asked =
        participation
            .flatMap(Participation::request)
            .flatMap(
                meaning ->
                    store.<Optional<Store.Inbox.Known>>commit(
                        work -> work.inbox().findByMeaning(here.surface(), meaning)))
            .map(Store.Inbox.Known::delivery);
    var request = asked.flatMap(it -> it.intent().agentRequest());
    if (participation.isEmpty() || request.isEmpty()) {
      results.complete(
          attempt,
          work ->
              attempt.respond(
                  work,
                  participation.isEmpty()
                      ? "`join` and `separate` answer my question whether a request goes to a run"
                          + " on the same issue. No such question is open here."
                      : "I no longer have the request. Please send it again."));
      return;
    }
    var again =
        attempt
            .delivery()
            .withOrigin(asked.get().origin())
            .withSnapshot(asked.get().snapshot())
            .withIntent(new Intent.New(request.get()));
    if (choice.joins()) {
      var run =
          store.<Optional<Binding>>commit(work -> work.bindings().of(participation.get().run()));
      if (run.filter(it -> !mayJoin(attempt.delivery(), it)).isPresent()) {
        results.complete(
            attempt.refused("the sender may not write to the run"),
            work -> attempt.respond(work, "You may not write to that run."));
        return;
      }
      join(attempt.of(again), participation.get().run());
    } else {
      leave(attempt.of(again));
    }
  }

  /// Ends the participation of the conversation, and plans the delivery again.
  void leave(DeliveryAttempt attempt) {
    results.commitIfOwned(
        attempt,
        work -> {
          work.issues().leave(attempt.conversation());
          work.inbox().replace(attempt.delivery());
        });
  }

  /// Lets the conversation take part in the run, and sends the request to it. A label has no text
  /// for the agent.
  private void join(DeliveryAttempt attempt, RunId run) {
    var delivery = attempt.delivery();
    if (!RunSubscribers.isFromPerson(delivery)) {
      results.complete(
          attempt.noting("to take part in the run that works on the same issue"),
          work -> {
            takePart(work, attempt, run);
            work.bindings()
                .of(run)
                .ifPresent(
                    binding -> {
                      RunSubscribers.subscribe(work, delivery, binding);
                      attempt.respondToAllOnce(
                          work, "joined", words(binding) + " Its answer is posted here, too.");
                    });
          });
      return;
    }
    results.commitIfOwned(
        attempt,
        work -> {
          takePart(work, attempt, run);
          work.bindings()
              .of(run)
              .ifPresent(
                  binding ->
                      attempt.respondToAllOnce(
                          work,
                          "joined",
                          words(binding)
                              + " I passed your request on to it; its answer is posted here, too."
                              + " To send it more, mention me here."));
          work.inbox()
              .replace(
                  delivery
                      .withAddressed(true)
                      .withIntent(
                          new Intent.Say(delivery.intent().agentRequest().orElse(Request.of("")))));
        });
  }

  private static void takePart(Work work, DeliveryAttempt attempt, RunId run) {
    work.issues().join(attempt.conversation(), new Participation(run, Optional.empty()));
  }

  private static String words(Binding binding) {
    return "A run is already working on this issue"
        + binding.origin().link().map(link -> ": " + link + " .").orElse(".");
  }
}
