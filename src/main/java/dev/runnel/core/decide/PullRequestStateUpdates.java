package dev.runnel.core.decide;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.run.PullRequest;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.port.Store.Work;
import java.time.Instant;
import java.util.Optional;

/// Stores the states of runs' pull requests and posts their changes: the run's status post shows
/// the state. If the run's thread is on another platform than the pull request, its end is also a
/// message there.
public final class PullRequestStateUpdates {
  private PullRequestStateUpdates() {}

  /// Stores the state and adds the posts.
  ///
  /// @return the other intent of the delivery, if it has one
  public static Optional<Delivery> apply(
      Work work, Delivery delivery, Intent.PullRequestChanged changed, Instant now) {
    var pullRequest = PullRequest.of(changed.link());
    if (pullRequest.isPresent()
        && work.pullRequests().saveState(pullRequest.get(), changed.state(), changed.at())) {
      work.pullRequests()
          .opener(pullRequest.get())
          .flatMap(work.bindings()::of)
          .ifPresent(binding -> report(work, delivery, binding, pullRequest.get(), changed, now));
    }
    // Of what the event also means, only a start is addressed to Runnel, and needs a permission.
    return changed
        .then()
        .map(then -> delivery.withIntent(then).withAddressed(then instanceof Intent.Start));
  }

  private static void report(
      Work work,
      Delivery delivery,
      Binding binding,
      PullRequest pullRequest,
      Intent.PullRequestChanged changed,
      Instant now) {
    var place = binding.conversation();
    work.outbox()
        .add(
            new Notice(
                NoticeId.random(),
                place,
                RunUpdates.status(binding, binding.run(), now),
                binding.origin(),
                now,
                0));
    if (changed.state().isEnd() && !place.surface().equals(delivery.conversation().surface())) {
      var words =
          "%s was %s: %s"
              .formatted(name(binding.run(), pullRequest), changed.state().word(), changed.link());
      work.outbox()
          .add(
              new Notice(
                  new NoticeId(
                      "pull-request:%s:%d:%s"
                          .formatted(
                              changed.state().word(),
                              changed.at().getEpochSecond(),
                              pullRequest.address())),
                  place,
                  new Update.Message(binding.requester(), words, false),
                  binding.origin(),
                  now,
                  0));
    }
  }

  private static String name(Run run, PullRequest pullRequest) {
    return run.artifacts().stream()
        .filter(each -> PullRequest.of(each.link()).filter(pullRequest::equals).isPresent())
        .map(each -> each.label())
        .filter(label -> !label.isBlank())
        .findFirst()
        .orElse("The pull request");
  }

  /// The run with the states of its pull requests.
  public static Run withPullRequestStates(Work work, Run run) {
    return run.artifacts().stream().noneMatch(each -> each.pullRequest())
        ? run
        : run.withArtifacts(
            run.artifacts().stream()
                .map(
                    each ->
                        Optional.of(each)
                            .filter(it -> it.pullRequest())
                            .flatMap(it -> PullRequest.of(it.link()))
                            .flatMap(work.pullRequests()::state)
                            .map(each::in)
                            .orElse(each))
                .toList());
  }

  /// The same for an update about a run.
  public static Update withPullRequestStates(Work work, Update update) {
    return switch (update) {
      case Update.Status(
              var run,
              var requester,
              var request,
              var since,
              var at,
              var stop,
              var shown) ->
          new Update.Status(
              withPullRequestStates(work, run), requester, request, since, at, stop, shown);
      case Update.Still(Update.Status status) ->
          new Update.Still((Update.Status) withPullRequestStates(work, status));
      case Update.Succeeded(var run, var requester, var since, var at) ->
          new Update.Succeeded(withPullRequestStates(work, run), requester, since, at);
      case Update.Failed(var run, var requester, var why, var retryable) ->
          new Update.Failed(withPullRequestStates(work, run), requester, why, retryable);
      case Update.Cancelled(var run, var requester, var stop, var unread) ->
          new Update.Cancelled(withPullRequestStates(work, run), requester, stop, unread);
      case Update.OfRun _, Update.Reply _, Update.Received _ -> update;
    };
  }
}
