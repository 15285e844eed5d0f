package dev.runnel.core.dispatch;

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
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Issues.Claim;
import dev.runnel.core.port.Store.Issues.Guest;
import dev.runnel.core.port.Store.Work;
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

/// Keeps two requests about one issue from starting two runs at the same time: a label on the
/// issue, and its link in a chat. Each start about an issue first claims it by a row, so that this
/// holds across platforms and nodes.
final class IssueRuns {
  private static final Pattern LINK = Pattern.compile("https?://[^\\s<>|\"'`()\\[\\]]+");
  private static final Pattern AT_END = Pattern.compile("[.,;:!?]+$");
  private static final Duration UNTIL_STARTED = Duration.ofSeconds(5);

  private final Store store;
  private final Surfaces surfaces;
  private final AccessCheck accessCheck;
  private final AttemptResults results;
  private final SameIssue sameIssue;

  IssueRuns(
      Store store,
      Surfaces surfaces,
      AccessCheck accessCheck,
      AttemptResults results,
      SameIssue sameIssue) {
    this.store = store;
    this.surfaces = surfaces;
    this.accessCheck = accessCheck;
    this.results = results;
    this.sameIssue = sameIssue;
  }

  private sealed interface Found {
    /// The request may start its run.
    record Free() implements Found {}

    /// Another request is about to start one.
    record Starting() implements Found {}

    record Working(Binding binding) implements Found {}
  }

  /// @return false if the attempt is finished
  boolean permitsStart(DeliveryAttempt attempt, Plan.StartRun start) {
    var issue = isAsked(attempt.delivery()) ? issue(attempt.delivery()) : Optional.<Issue>empty();
    if (issue.isEmpty()) {
      return true;
    }
    var mine = new Claim(start.conversation(), attempt.delivery().id());
    return switch (store.<Found>commit(work -> claim(work, issue.get().conversation(), mine))) {
      case Found.Free _ -> true;
      case Found.Starting _ -> {
        await(attempt);
        yield false;
      }
      // Whoever has no share in that run does not learn of it.
      case Found.Working(var binding) when !accessCheck.mayWriteTo(binding, attempt.delivery()) ->
          true;
      case Found.Working(var binding) -> {
        if (sameIssue == SameIssue.ASK) {
          ask(attempt, issue.get(), binding);
        } else {
          join(attempt, binding.run().id());
        }
        yield false;
      }
    };
  }

  /// Whoever says `new:` or `retry` has decided. Where nobody reads answers, nobody can be asked.
  private boolean isAsked(Delivery delivery) {
    return sameIssue != SameIssue.START
        && (delivery.intent() instanceof Intent.Start || delivery.intent() instanceof Intent.Say)
        && surfaces
            .find(delivery.conversation().surface())
            .filter(surface -> !surface.isSilent())
            .isPresent();
  }

  private record Issue(Conversation conversation, URI link) {}

  /// The issue in which the request is, or the only one whose link it contains.
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

  private static Found claim(Work work, Conversation issue, Claim mine) {
    var held = work.issues().claim(issue, mine);
    if (!held.conversation().equals(mine.conversation())) {
      var binding = work.bindings().of(held.conversation()).filter(Binding::isActive);
      if (binding.isPresent()) {
        return new Found.Working(binding.get());
      }
      if (work.inbox().isWaiting(held.delivery())) {
        return new Found.Starting();
      }
    }
    return held.equals(mine) || work.issues().replace(issue, held, mine)
        ? new Found.Free()
        : new Found.Starting();
  }

  /// The waiting is not an attempt.
  private void await(DeliveryAttempt attempt) {
    results.commitIfOwned(
        attempt,
        work -> {
          if (!attempt.isRetry()) {
            work.inbox().replace(attempt.delivery());
          }
          work.inbox()
              .later(
                  attempt.delivery().id(),
                  attempt.now().plus(UNTIL_STARTED),
                  "Another request about the same issue is about to start a run");
        });
  }

  private void ask(DeliveryAttempt attempt, Issue issue, Binding binding) {
    var delivery = attempt.delivery();
    var card =
        InfoCard.choosing(
            "A run is already working on this issue. Should your request go to it, or start another run?",
            List.of(
                new Row("Issue", issue.link().toString(), "", Optional.empty()),
                new Row(
                    "Run", RunTexts.state(binding, attempt.now()), "", binding.origin().link())),
            List.of(
                new Choice("Send it to that run", "join"),
                new Choice("Start another run", "separate")));
    results.complete(
        attempt.noting("to ask whether it goes to the run that works on the same issue"),
        work -> {
          work.issues()
              .invite(
                  attempt.conversation(),
                  new Guest(binding.run().id(), Optional.of(delivery.meaning())));
          attempt.react(work, MessageStatus.QUEUED);
          attempt.add(work, new Update.Answered(delivery.actor(), card));
        });
  }

  /// Carries out the choice.
  void choose(DeliveryAttempt attempt, Question.Join choice) {
    var here = attempt.conversation();
    var guest =
        store.<Optional<Guest>>commit(
            work -> work.issues().guest(here).filter(it -> it.request().isPresent()));
    var asked =
        guest
            .flatMap(Guest::request)
            .flatMap(
                meaning ->
                    store.<Optional<Store.Inbox.Known>>commit(
                        work -> work.inbox().findByMeaning(here.surface(), meaning)))
            .map(Store.Inbox.Known::delivery);
    var request = asked.flatMap(it -> it.intent().agentRequest());
    if (guest.isEmpty() || request.isEmpty()) {
      results.complete(
          attempt,
          work ->
              attempt.respond(
                  work,
                  guest.isEmpty()
                      ? "Nothing here waits for this choice."
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
      var run = store.<Optional<Binding>>commit(work -> work.bindings().of(guest.get().run()));
      if (run.filter(it -> !accessCheck.mayWriteTo(it, attempt.delivery())).isPresent()) {
        results.complete(attempt, work -> attempt.respond(work, "You may not write to that run."));
        return;
      }
      join(attempt.of(again), guest.get().run());
    } else {
      results.commitIfOwned(
          attempt,
          work -> {
            work.issues().leave(here);
            work.inbox().replace(again);
          });
    }
  }

  /// Lets the conversation take part in the run, and passes on what somebody wrote. A label has no
  /// words of its own for the agent.
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
                              + " I passed your request on to it; its answer is posted here, too. To send it more, mention me here."));
          work.inbox()
              .replace(
                  delivery
                      .withAddressed(true)
                      .withIntent(
                          new Intent.Say(delivery.intent().agentRequest().orElse(Request.of("")))));
        });
  }

  private static void takePart(Work work, DeliveryAttempt attempt, RunId run) {
    work.issues().invite(attempt.conversation(), new Guest(run, Optional.empty()));
  }

  private static String words(Binding binding) {
    return "A run is already working on this issue"
        + binding.origin().link().map(link -> ": " + link + " .").orElse(".");
  }
}
