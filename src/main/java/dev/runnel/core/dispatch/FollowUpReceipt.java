package dev.runnel.core.dispatch;

import dev.runnel.core.command.MessageParser;
import dev.runnel.core.decide.PullRequestFollowUps;
import dev.runnel.core.decide.RunSubscribers;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Subscriber;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.text.AnswerFormatter;
import java.util.Optional;
import java.util.stream.Stream;

/// Records that a follow-up has reached the run service: closes the question that it answers, and
/// keeps it as pending while the agent has not received it.
record FollowUpReceipt(
    AttemptResults results,
    ListeningPolicy listeningPolicy,
    PullRequestFollowUps pullRequestFollowUps) {
  void followedUp(DeliveryAttempt attempt, Binding binding, Run before, Run read) {
    // A service that recognizes the repeated request does not process it again.
    var isRepetition =
        attempt.isRetry()
            && read.state().isTerminal()
            && read.updatedAt().isPresent()
            && read.updatedAt().equals(before.updatedAt());
    results.complete(
        attempt,
        work -> {
          arrived(work, attempt, binding, read);
          if (isRepetition) {
            AttemptResults.current(work, binding)
                .ifPresent(current -> AttemptResults.undoReopening(work, current));
          } else if (read.state().needsPerson()) {
            // The question is answered, though the run has not continued yet.
            AttemptResults.current(work, binding)
                .filter(Binding::reopened)
                .ifPresent(current -> AttemptResults.save(work, current.reopenedAs(read)));
          }
        });
  }

  /// Records that the run service has the message; if the agent has not received it yet, it is
  /// stored as pending. The watcher may have read a newer state of the run than `read`.
  void arrived(Work work, DeliveryAttempt attempt, Binding binding, Run read) {
    closeQuestion(work, attempt, binding);
    Stream.concat(Stream.of(attempt.delivery()), attempt.parts().stream())
        .forEach(message -> pullRequestFollowUps.report(work, message, binding, attempt.now()));
    if (binding.isActive()) {
      Stream.concat(Stream.of(attempt.delivery()), attempt.parts().stream())
          .filter(
              message ->
                  message
                      .intent()
                      .agentRequest()
                      .filter(it -> MessageParser.resemblesStop(it.text()))
                      .isPresent())
          .forEach(message -> offerStop(work, attempt, message, binding));
    }
    if (read.replies().filter(replies -> replies.hold(attempt.delivery().id())).isEmpty()) {
      attempt.reactReceived(work);
      return;
    }
    attempt.react(work, MessageStatus.QUEUED);
    // A run that had ended or waited for a person continues at once.
    if (binding.run().state().isInProgress()) {
      var isOffered =
          read.replies()
              .filter(replies -> replies.offered().contains(attempt.delivery().id()))
              .isPresent();
      listeningPolicy.explainQueued(work, attempt, isOffered);
    }
    var reply = attempt.reply(read);
    AttemptResults.current(work, binding)
        .ifPresent(
            current -> {
              AttemptResults.save(work, current.withPendingReply(reply));
              results.notifyChanges(work, attempt, binding, current.run());
            });
  }

  /// Closes the question in its posts. The answer itself is shown only where it was given, and in
  /// the run's own thread.
  private static void closeQuestion(Work work, DeliveryAttempt attempt, Binding binding) {
    var before = work.inbox().runBefore(attempt.delivery().id());
    if (before.filter(run -> run.state() == RunState.BLOCKED).isEmpty()
        || (binding.reopened() && !attempt.isRetry())) {
      return;
    }
    var question = before.get().message().orElse(Update.NO_QUESTION);
    var closed =
        new Update.QuestionClosed(
            before.get(),
            question,
            Optional.of(attempt.excerpt()).filter(it -> !it.isBlank()),
            Optional.of(attempt.delivery().actor()));
    var there =
        Stream.concat(
                Stream.of(binding.conversation()),
                work.pullRequests().subscribers(binding.run().id()).stream()
                    .map(Subscriber::conversation))
            .distinct()
            .toList();
    for (var conversation : there) {
      var maySee =
          conversation.equals(attempt.conversation())
              || conversation.equals(binding.conversation());
      var by = Optional.of(attempt.delivery().actorIn(conversation.surface()));
      attempt.add(
          work,
          conversation,
          maySee
              ? new Update.QuestionClosed(closed.run(), question, closed.answer(), by)
              : RunSubscribers.elsewhere(closed));
    }
  }

  /// Privately offers a stop to a person whose message begins like one, once.
  private static void offerStop(
      Work work, DeliveryAttempt attempt, Delivery message, Binding binding) {
    work.outbox()
        .add(
            new Notice(
                new NoticeId("stop?:" + message.id()),
                message.conversation(),
                new Update.Answered(message.actor(), AnswerFormatter.passedOn(binding)),
                message.origin(),
                attempt.now(),
                0));
  }
}
