package dev.runnel.store;

import dev.runnel.core.model.Subscriber;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.PullRequest;
import dev.runnel.core.model.run.PullRequestState;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.port.Store;
import dev.runnel.database.Like;
import dev.runnel.store.row.Statements;
import dev.runnel.store.row.StoredJson;
import java.net.URI;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Pull requests and their runs in the table `pushed_pull_requests`, and subscribers in `askers`.
final class SqlPullRequests implements Store.PullRequests {
  private final Statements rows;

  SqlPullRequests(Statements rows) {
    this.rows = rows;
  }

  /// Stores the pull requests that the run opened.
  void saveOpened(Run run) {
    run.artifacts().stream()
        .filter(Artifact::isItsOwnPullRequest)
        .flatMap(artifact -> PullRequest.of(artifact.link()).stream())
        .forEach(
            pullRequest ->
                rows.change(
                    "INSERT INTO pushed_pull_requests (address, run) VALUES (?, ?) ON"
                        + " CONFLICT (address) DO NOTHING",
                    pullRequest.address(),
                    run.id().value()));
  }

  @Override
  public Optional<RunId> opener(PullRequest pullRequest) {
    return rows.first(
        "SELECT run FROM pushed_pull_requests WHERE address = ?",
        row -> new RunId(row.getString("run")),
        pullRequest.address());
  }

  @Override
  public List<PullRequest> open(URI repository) {
    return rows.list(
        "SELECT address FROM pushed_pull_requests WHERE address LIKE ? ESCAPE '!' AND address NOT"
            + " IN (SELECT address FROM pull_request_states WHERE state IN ('MERGED', 'CLOSED'))",
        row -> new PullRequest(row.getString("address")),
        Like.prefix(PullRequest.prefix(repository)));
  }

  @Override
  public boolean saveState(PullRequest pullRequest, PullRequestState state, Instant at) {
    var micros = ChronoUnit.MICROS.between(Instant.EPOCH, at);
    var known =
        rows.first(
            "SELECT state, at FROM pull_request_states WHERE address = ?",
            row -> new Known(row.getString("state"), row.getLong("at")),
            pullRequest.address());
    if (known.filter(it -> it.at() > micros).isPresent()) {
      return false;
    }
    rows.change(
        "INSERT INTO pull_request_states (address, state, at) VALUES (?, ?, ?) ON CONFLICT"
            + " (address) DO UPDATE SET state = excluded.state, at = excluded.at",
        pullRequest.address(),
        state.name(),
        micros);
    return known.filter(it -> it.state().equals(state.name())).isEmpty();
  }

  private record Known(String state, long at) {}

  @Override
  public Optional<PullRequestState> state(PullRequest pullRequest) {
    return rows.first(
            "SELECT state FROM pull_request_states WHERE address = ?",
            row -> row.getString("state"),
            pullRequest.address())
        .flatMap(
            name ->
                Stream.of(PullRequestState.values())
                    .filter(each -> each.name().equals(name))
                    .findFirst());
  }

  @Override
  public boolean addFollowUp(PullRequest pullRequest, String cause, DeliveryId delivery) {
    return rows.change(
            "INSERT INTO pull_request_follow_ups (address, cause, delivery) VALUES (?, ?,"
                + " ?) ON CONFLICT (address, cause) DO NOTHING",
            pullRequest.address(),
            cause,
            delivery.value())
        == 1;
  }

  @Override
  public List<FollowUp> followUps(PullRequest pullRequest) {
    return rows.list(
        "SELECT delivery, sent FROM pull_request_follow_ups WHERE address = ?",
        row -> new FollowUp(new DeliveryId(row.getString("delivery")), row.getInt("sent") == 1),
        pullRequest.address());
  }

  @Override
  public Optional<PullRequest> markFollowUpSent(DeliveryId delivery) {
    var pullRequest =
        rows.first(
            "SELECT address FROM pull_request_follow_ups WHERE delivery = ? AND sent = 0",
            row -> new PullRequest(row.getString("address")),
            delivery.value());
    rows.change("UPDATE pull_request_follow_ups SET sent = 1 WHERE delivery = ?", delivery.value());
    return pullRequest;
  }

  @Override
  public List<Subscriber> subscribers(RunId run) {
    return rows.list(
        "SELECT body FROM askers WHERE run = ? ORDER BY conversation",
        row -> StoredJson.read(row.getString("body"), Subscriber.class),
        run.value());
  }

  @Override
  public void subscribe(RunId run, Subscriber subscriber) {
    rows.change(
        "INSERT INTO askers (run, conversation, body) VALUES (?, ?, ?) ON CONFLICT (run,"
            + " conversation) DO UPDATE SET body = excluded.body",
        run.value(),
        subscriber.conversation().id(),
        StoredJson.write(subscriber));
  }

  @Override
  public void unsubscribe(RunId run, Conversation conversation) {
    rows.change(
        "DELETE FROM askers WHERE run = ? AND conversation = ?", run.value(), conversation.id());
  }

  @Override
  public void unsubscribeAll(RunId run) {
    rows.change("DELETE FROM askers WHERE run = ?", run.value());
  }
}
