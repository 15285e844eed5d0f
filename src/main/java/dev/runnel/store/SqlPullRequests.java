package dev.runnel.store;

import dev.runnel.core.model.Artifact;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.PullRequest;
import dev.runnel.core.model.Run;
import dev.runnel.core.model.RunId;
import dev.runnel.core.model.Subscriber;
import dev.runnel.core.port.Store;
import dev.runnel.database.Rows;
import java.util.List;
import java.util.Optional;

/// Pull requests and their runs in the table `pushed_pull_requests`, and subscribers in `askers`.
final class SqlPullRequests implements Store.PullRequests {
  private final Rows rows;

  SqlPullRequests(Rows rows) {
    this.rows = rows;
  }

  /// Stores the pull requests that the run opened.
  void opened(Run run) {
    run.artifacts().stream()
        .filter(Artifact::isItsOwnPullRequest)
        .flatMap(artifact -> PullRequest.of(artifact.link()).stream())
        .forEach(
            pullRequest ->
                QueueRows.sql(
                    () ->
                        rows.change(
                            "INSERT INTO pushed_pull_requests (address, run) VALUES (?, ?) ON"
                                + " CONFLICT (address) DO NOTHING",
                            pullRequest.address(),
                            run.id().value())));
  }

  @Override
  public Optional<RunId> opener(PullRequest pullRequest) {
    return QueueRows.sql(
        () ->
            rows.first(
                "SELECT run FROM pushed_pull_requests WHERE address = ?",
                row -> new RunId(row.getString("run")),
                pullRequest.address()));
  }

  @Override
  public List<Subscriber> subscribers(RunId run) {
    return QueueRows.sql(
        () ->
            rows.list(
                "SELECT body FROM askers WHERE run = ? ORDER BY conversation",
                row -> Json.read(row.getString("body"), Subscriber.class),
                run.value()));
  }

  @Override
  public void subscribe(RunId run, Subscriber subscriber) {
    QueueRows.sql(
        () ->
            rows.change(
                "INSERT INTO askers (run, conversation, body) VALUES (?, ?, ?) ON CONFLICT (run,"
                    + " conversation) DO UPDATE SET body = excluded.body",
                run.value(),
                subscriber.conversation().id(),
                Json.write(subscriber)));
  }

  @Override
  public void unsubscribe(RunId run, Conversation conversation) {
    QueueRows.sql(
        () ->
            rows.change(
                "DELETE FROM askers WHERE run = ? AND conversation = ?",
                run.value(),
                conversation.id()));
  }

  @Override
  public void unsubscribeAll(RunId run) {
    QueueRows.sql(() -> rows.change("DELETE FROM askers WHERE run = ?", run.value()));
  }
}
