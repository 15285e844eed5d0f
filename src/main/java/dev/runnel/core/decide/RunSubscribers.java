package dev.runnel.core.decide;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Subscriber;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.run.PullRequest;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Work;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Decides who is notified of a run's ends and questions: normally its own thread, which also has
/// its status. If the run was steered from its pull request, those who asked there are notified,
/// and the thread only if it waits too.
public final class RunSubscribers {
  private RunSubscribers() {}

  /// The current run of the delivery's conversation, or the one of another conversation that it is
  /// for.
  public static Optional<Binding> runOf(Work work, Delivery delivery) {
    return work.bindings().of(delivery.conversation()).or(() -> steeredRun(work, delivery));
  }

  /// The run that a message on its pull request, or in a conversation that takes part, is for.
  private static Optional<Binding> steeredRun(Work work, Delivery delivery) {
    if (!isForSteeredRun(delivery)) {
      return Optional.empty();
    }
    return delivery
        .origin()
        .link()
        .flatMap(PullRequest::of)
        .flatMap(work.pullRequests()::opener)
        .or(() -> joined(work, delivery))
        .flatMap(work.bindings()::of);
  }

  /// The run of another conversation in which this one takes part.
  private static Optional<RunId> joined(Work work, Delivery delivery) {
    return work.issues()
        .participation(delivery.conversation())
        .filter(participation -> participation.request().isEmpty())
        .map(Store.Issues.Participation::run);
  }

  /// Whether the delivery is a message to the run of the pull request. A delivery that starts a run
  /// belongs to the pull request's own conversation. An event on the pull request, such as a
  /// removed label, is no message to a run that began elsewhere.
  private static boolean isForSteeredRun(Delivery delivery) {
    return delivery.addressed()
        && isFromPerson(delivery)
        && !(delivery.intent() instanceof Intent.Start);
  }

  /// Whether a person wrote it: a message, a command or a form; not a label.
  public static boolean isFromPerson(Delivery delivery) {
    return delivery.origin().message().isPresent() || delivery.origin().replyTo().isPresent();
  }

  /// Subscribes the sender. Must be called before the message is sent to the run, so that an
  /// immediate end is posted where the message is.
  public static void subscribe(Work work, Delivery delivery, Binding binding) {
    var run = binding.run().id();
    var waiting = work.pullRequests().subscribers(run);
    var isElsewhere = !delivery.conversation().equals(binding.conversation());
    if (!isElsewhere && waiting.isEmpty()) {
      return;
    }
    if (!isElsewhere || (waiting.isEmpty() && binding.isActive())) {
      work.pullRequests()
          .subscribe(
              run, new Subscriber(binding.conversation(), binding.requester(), binding.origin()));
    }
    if (isElsewhere) {
      work.pullRequests()
          .subscribe(
              run, new Subscriber(delivery.conversation(), delivery.actor(), delivery.origin()));
    }
  }

  /// Unsubscribes the sender, because the message will not be sent to this run.
  public static void unsubscribe(Work work, Delivery delivery, Binding binding) {
    if (!delivery.conversation().equals(binding.conversation())) {
      work.pullRequests().unsubscribe(binding.run().id(), delivery.conversation());
    }
  }

  /// Posts updates of a run to its subscribers.
  public static void notifyAbout(Work work, Binding binding, List<Update> updates, Instant now) {
    var subscribers =
        updates.stream().anyMatch(update -> addressed(update, binding.requester()).isPresent())
            ? work.pullRequests().subscribers(binding.run().id())
            : List.<Subscriber>of();
    for (var update : updates) {
      if (subscribers.isEmpty() || addressed(update, binding.requester()).isEmpty()) {
        work.outbox().add(notice(requester(binding), update, now));
        continue;
      }
      for (var subscriber : subscribers) {
        var isHere = subscriber.conversation().equals(binding.conversation());
        addressed(isHere ? update : elsewhere(update), subscriber.actor())
            .ifPresent(theirs -> work.outbox().add(notice(subscriber, theirs, now)));
      }
      if (!(update instanceof Update.Blocked || update instanceof Update.QuestionClosed)) {
        work.pullRequests().unsubscribeAll(binding.run().id());
      }
    }
  }

  private static Subscriber requester(Binding binding) {
    return new Subscriber(binding.conversation(), binding.requester(), binding.origin());
  }

  private static Notice notice(Subscriber subscriber, Update update, Instant now) {
    return new Notice(
        NoticeId.random(), subscriber.conversation(), update, subscriber.origin(), now, 0);
  }

  /// The update for people outside the run's thread: without the thread's request, and without the
  /// run's other results.
  public static Update elsewhere(Update update) {
    return switch (update) {
      case Update.Blocked(var run, var to, var question) ->
          new Update.Blocked(withoutThreadContent(run), to, question);
      case Update.Succeeded(var run, var to, var since, var at) ->
          new Update.Succeeded(withoutThreadContent(run), to, since, at);
      case Update.Failed(var run, var to, var why, var retryable) ->
          new Update.Failed(withoutThreadContent(run), to, why, retryable);
      case Update.Cancelled(var run, var to, var stop, _) ->
          new Update.Cancelled(withoutThreadContent(run), to, stop);
      // An answer is only for the people where it was given.
      case Update.QuestionClosed(var run, var question, _, _) ->
          new Update.QuestionClosed(
              withoutThreadContent(run), question, Optional.empty(), Optional.empty());
      case Update.Status _,
          Update.FileMade _,
          Update.Reminder _,
          Update.Reply _,
          Update.Received _,
          Update.Still _ ->
          update;
    };
  }

  private static Run withoutThreadContent(Run run) {
    return run.with(
        it -> it.title("").artifacts(List.of()).files(List.of()).replies(Optional.empty()));
  }

  /// The update addressed to another person; empty for updates that are only for the thread.
  private static Optional<Update> addressed(Update update, Actor to) {
    return switch (update) {
      case Update.Blocked(var run, _, var question) ->
          Optional.of(new Update.Blocked(run, to, question));
      case Update.Succeeded(var run, _, var since, var at) ->
          Optional.of(new Update.Succeeded(run, to, since, at));
      case Update.Failed(var run, _, var why, var retryable) ->
          Optional.of(new Update.Failed(run, to, why, retryable));
      case Update.Cancelled(var run, _, var stop, var unread) ->
          Optional.of(new Update.Cancelled(run, to, stop, unread));
      // It changes a post that is there, whoever it was for.
      case Update.QuestionClosed _ -> Optional.of(update);
      case Update.Status _,
          Update.FileMade _,
          Update.Reminder _,
          Update.Reply _,
          Update.Received _,
          Update.Still _ ->
          Optional.empty();
    };
  }
}
