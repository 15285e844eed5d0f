package dev.runnel.client;

import dev.runnel.wire.CreateRun;
import dev.runnel.wire.CreatedRun;
import dev.runnel.wire.FollowUpAccepted;
import dev.runnel.wire.FollowUpMessage;
import dev.runnel.wire.RunItem;
import dev.runnel.wire.RunPage;

/// The Agent Run API. Methods block, answer an interrupt at once, and throw only [RunsException]
/// for what the service or the network does; an id that cannot be one is an
/// `IllegalArgumentException`. Safe for many threads; one client an application is enough.
///
/// Reading and cancelling are repeated when that may help. Creating and following up are repeated
/// only when the request certainly had no effect: it was never sent, or the service refused it.
public interface RunsClient extends AutoCloseable {
  static RunsClientBuilder builder() {
    return new RunsClientBuilder();
  }

  default CreatedRun create(CreateRun run) {
    return create(run, RequestOptions.DEFAULT);
  }

  CreatedRun create(CreateRun run, RequestOptions options);

  default RunItem get(String runId) {
    return get(runId, RequestOptions.DEFAULT);
  }

  RunItem get(String runId, RequestOptions options);

  default RunPage list(ListRuns query) {
    return list(query, RequestOptions.DEFAULT);
  }

  /// One page.
  RunPage list(ListRuns query, RequestOptions options);

  default Pages pages(ListRuns query) {
    return pages(query, RequestOptions.DEFAULT);
  }

  /// All pages from the query's cursor on, read as they are asked for. The options hold for each
  /// page's request.
  default Pages pages(ListRuns query, RequestOptions options) {
    return new Pages(this, query, options);
  }

  default FollowUpAccepted followUp(String runId, FollowUpMessage message) {
    return followUp(runId, message, RequestOptions.DEFAULT);
  }

  FollowUpAccepted followUp(String runId, FollowUpMessage message, RequestOptions options);

  default String cancel(String runId) {
    return cancel(runId, RequestOptions.DEFAULT);
  }

  /// Cancels a run. A run that had ended already is a [RunsException.BadRequest], also when it
  /// was an earlier, unanswered attempt of this very call that ended it.
  ///
  /// @return the id of the cancelled run
  String cancel(String runId, RequestOptions options);

  /// Ends what is under way and lets go of the connections. A client of the caller's is left
  /// alone.
  @Override
  void close();
}
