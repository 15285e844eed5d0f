package dev.runnel.core.decide;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.run.PullRequest;
import dev.runnel.core.model.run.PullRequestState;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.port.Store.Work;
import java.time.Instant;
import java.util.Optional;

/// Sends failed checks, conflicts and requested changes of a pull request to the run that opened
/// it, even if nobody mentions Runnel. Each cause is sent once, and only a limited number for each
/// pull request, because each makes the agent work again.
///
/// @param max maximum number for a pull request; 0 for none
public record PullRequestFollowUps(int max) {
  /// Converts the event to a message to the run; empty if it is ignored.
  ///
  /// @param isMuted whether only messages that mention Runnel go from the run's thread to the agent
  public Optional<Delivery> toFollowUp(
      Work work, Delivery delivery, Intent.PullRequestNeeds needs, boolean isMuted) {
    var pullRequest = pullRequest(work, needs);
    var binding = receiver(work, pullRequest, isMuted);
    if (binding.isEmpty()
        || !work.pullRequests().addFollowUp(pullRequest.get(), needs.cause(), delivery.id())) {
      return Optional.empty();
    }
    var message = delivery.withAddressed(true);
    var request = Request.of(needs.request());
    return Optional.of(
        needs.isFact()
            ? message
                .movedTo(binding.get().conversation())
                .withActor(binding.get().requester())
                // The thread may have another run by now.
                .withIntent(new Intent.SayTo(binding.get().run().id(), request))
            : message.withIntent(new Intent.Say(request)));
  }

  /// Whether the event's message would start a run again that has ended.
  public boolean restartsRun(Work work, Intent.PullRequestNeeds needs, boolean isMuted) {
    return receiver(work, pullRequest(work, needs), isMuted)
        .filter(binding -> !binding.isActive())
        .isPresent();
  }

  /// The run that gets messages about the pull request; empty if none gets one now.
  private Optional<Binding> receiver(
      Work work, Optional<PullRequest> pullRequest, boolean isMuted) {
    return pullRequest
        .filter(_ -> !isMuted)
        .filter(it -> work.pullRequests().state(it).filter(PullRequestState::isEnd).isEmpty())
        .filter(it -> count(work, it) < max)
        .flatMap(it -> binding(work, it))
        // The run would take it for the answer to its question.
        .filter(binding -> !binding.run().state().needsPerson());
  }

  /// Whether the delivery is such a message to the run.
  public static boolean isFollowUp(Work work, Delivery delivery, Binding binding) {
    return binding.run().artifacts().stream()
        .flatMap(artifact -> PullRequest.of(artifact.link()).stream())
        .flatMap(pullRequest -> work.pullRequests().followUps(pullRequest).stream())
        .anyMatch(followUp -> followUp.delivery().equals(delivery.id()));
  }

  /// The pull request; if the event names a branch, the open one that a run pushed from it.
  public static Optional<PullRequest> pullRequest(Work work, Intent.PullRequestNeeds needs) {
    return needs.branch().isEmpty()
        ? PullRequest.of(needs.link())
        : work.pullRequests().open(needs.link()).stream()
            .filter(each -> branch(work, each).equals(needs.branch()))
            .findFirst();
  }

  private static Optional<String> branch(Work work, PullRequest pullRequest) {
    return binding(work, pullRequest).stream()
        .flatMap(binding -> binding.run().artifacts().stream())
        .filter(each -> PullRequest.of(each.link()).equals(Optional.of(pullRequest)))
        .flatMap(each -> each.branch().stream())
        .findFirst();
  }

  /// The binding of the run that opened the pull request.
  public static Optional<Binding> binding(Work work, PullRequest pullRequest) {
    return work.pullRequests().opener(pullRequest).flatMap(work.bindings()::of);
  }

  /// Number of follow-ups that were sent to the run or may still be sent.
  private static long count(Work work, PullRequest pullRequest) {
    return work.pullRequests().followUps(pullRequest).stream()
        .filter(each -> each.isSent() || work.inbox().isWaiting(each.delivery()))
        .count();
  }

  /// Posts in the run's thread that a follow-up was sent; does nothing for other messages.
  public void report(Work work, Delivery sent, Binding binding, Instant now) {
    work.pullRequests()
        .markFollowUpSent(sent.id())
        .ifPresent(
            pullRequest -> {
              var number = count(work, pullRequest);
              work.outbox()
                  .add(
                      new Notice(
                          new NoticeId("care:" + sent.id()),
                          binding.conversation(),
                          new Update.Message(
                              binding.requester(),
                              news(sent)
                                  + ". I passed it on to the agent (%d of %d%s)."
                                      .formatted(
                                          number,
                                          max,
                                          number < max
                                              ? ""
                                              : "; from now on I pass on only messages that mention"
                                                  + " me"),
                              false),
                          binding.origin(),
                          now,
                          0));
            });
  }

  /// What happened, from the first line of the message.
  private static String news(Delivery sent) {
    return sent.intent()
        .agentRequest()
        .flatMap(request -> request.text().lines().findFirst())
        .map(line -> line.replaceAll("(?<![.:])[.:]+$", ""))
        .orElse("The pull request needs work");
  }
}
