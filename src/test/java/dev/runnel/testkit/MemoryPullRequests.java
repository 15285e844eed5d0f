package dev.runnel.testkit;

import dev.runnel.core.model.Subscriber;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.PullRequest;
import dev.runnel.core.model.run.PullRequestState;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.port.Store;
import java.net.URI;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Pull requests and who waits there, in memory.
final class MemoryPullRequests implements Store.PullRequests {
  private record Waits(RunId run, Conversation conversation) {}

  private final Map<PullRequest, RunId> openers = new LinkedHashMap<>();
  private final Map<PullRequest, Known> states = new LinkedHashMap<>();
  private final Map<Cause, FollowUp> followUps = new LinkedHashMap<>();
  private final Map<Waits, Subscriber> askers = new LinkedHashMap<>();

  MemoryPullRequests copy() {
    var copy = new MemoryPullRequests();
    copy.openers.putAll(openers);
    copy.askers.putAll(askers);
    copy.states.putAll(states);
    copy.followUps.putAll(followUps);
    return copy;
  }

  void opened(Run run) {
    run.artifacts().stream()
        .filter(Artifact::isItsOwnPullRequest)
        .flatMap(artifact -> PullRequest.of(artifact.link()).stream())
        .forEach(each -> openers.putIfAbsent(each, run.id()));
  }

  @Override
  public Optional<RunId> opener(PullRequest pullRequest) {
    return Optional.ofNullable(openers.get(pullRequest));
  }

  @Override
  public List<PullRequest> open(URI repository) {
    return openers.keySet().stream()
        .filter(each -> each.address().startsWith(PullRequest.prefix(repository)))
        .filter(each -> state(each).filter(PullRequestState::isEnd).isEmpty())
        .toList();
  }

  @Override
  public boolean saveState(PullRequest pullRequest, PullRequestState state, Instant at) {
    var known = states.get(pullRequest);
    if (known != null && known.at().isAfter(at)) {
      return false;
    }
    states.put(pullRequest, new Known(state, at));
    return known == null || known.state() != state;
  }

  private record Known(PullRequestState state, Instant at) {}

  @Override
  public Optional<PullRequestState> state(PullRequest pullRequest) {
    return Optional.ofNullable(states.get(pullRequest)).map(Known::state);
  }

  private record Cause(PullRequest pullRequest, String cause) {}

  @Override
  public boolean addFollowUp(PullRequest pullRequest, String cause, DeliveryId delivery) {
    return followUps.putIfAbsent(new Cause(pullRequest, cause), new FollowUp(delivery, false))
        == null;
  }

  @Override
  public List<FollowUp> followUps(PullRequest pullRequest) {
    return followUps.entrySet().stream()
        .filter(each -> each.getKey().pullRequest().equals(pullRequest))
        .map(Map.Entry::getValue)
        .toList();
  }

  @Override
  public Optional<PullRequest> markFollowUpSent(DeliveryId delivery) {
    var found =
        followUps.entrySet().stream()
            .filter(each -> each.getValue().equals(new FollowUp(delivery, false)))
            .map(Map.Entry::getKey)
            .findFirst();
    found.ifPresent(each -> followUps.put(each, new FollowUp(delivery, true)));
    return found.map(Cause::pullRequest);
  }

  @Override
  public List<Subscriber> subscribers(RunId run) {
    return askers.entrySet().stream()
        .filter(each -> each.getKey().run().equals(run))
        .map(Map.Entry::getValue)
        .sorted(Comparator.comparing(subscriber -> subscriber.conversation().id()))
        .toList();
  }

  @Override
  public void subscribe(RunId run, Subscriber subscriber) {
    askers.put(new Waits(run, subscriber.conversation()), subscriber);
  }

  @Override
  public void unsubscribe(RunId run, Conversation conversation) {
    askers.remove(new Waits(run, conversation));
  }

  @Override
  public void unsubscribeAll(RunId run) {
    askers.keySet().removeIf(each -> each.run().equals(run));
  }
}
