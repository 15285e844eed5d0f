package dev.runnel.client;

import dev.runnel.client.HttpRequest.Effect;
import dev.runnel.wire.Conversation;
import dev.runnel.wire.CreateRun;
import dev.runnel.wire.CreatedRun;
import dev.runnel.wire.FollowUpAccepted;
import dev.runnel.wire.FollowUpMessage;
import dev.runnel.wire.HandoffAttachment;
import dev.runnel.wire.HarnessUsage;
import dev.runnel.wire.RunItem;
import dev.runnel.wire.RunPage;
import dev.runnel.wire.TimelineEvent;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Runs: `/agent/runs`. Methods throw `IllegalArgumentException` for ids that are empty, blank or
/// made of dots, and for requests without content.
public final class Runs {
  private static final String KEY = "idempotency_key";
  private static final Duration CANCELLED_WITHIN = Duration.ofMinutes(2);

  private final Resource api;

  Runs(Resource api) {
    this.api = api;
  }

  /// `POST /agent/run`. Retried only if the failed attempt certainly had no effect: it was not
  /// sent, or the service rejected it. If [RunsException#mayHaveHappened] is true, a run may exist
  /// despite the failure: see [#createOnce(CreateRun, String)].
  public Call<CreatedRun> create(CreateRun run) {
    RequestChecks.check(run);
    return api.call(
        "create a run",
        "POST",
        api.url("agent", api.context().createPath()),
        run,
        Effect.NON_IDEMPOTENT,
        Call.json(CreatedRun.class));
  }

  /// `GET /agent/runs/{runId}`.
  public Call<RunItem> get(String runId) {
    return api.get("read run " + runId, Call.json(RunItem.class), api.url("agent", "runs", runId));
  }

  /// `GET /agent/runs`: one page.
  public Call<Page<RunItem>> list(ListRuns query) {
    return list(query, Set.of());
  }

  /// All pages from the query's cursor on, loaded lazily.
  public Pages<RunItem> pages(ListRuns query) {
    return new Pages<>(api.context(), list(query));
  }

  /// `POST /agent/runs/{runId}/followups`. Retried only if the failed attempt certainly had no
  /// effect. Acceptance does not mean that the agent acted on it: read the run. An empty message
  /// fails with [RunsException.BadRequest], unless the run continues a saved conversation.
  public Call<FollowUpAccepted> followUp(String runId, FollowUpMessage message) {
    RequestChecks.check(message);
    return api.call(
        "send a follow-up to run " + runId,
        "POST",
        api.url("agent", "runs", runId, "followups"),
        message,
        Effect.NON_IDEMPOTENT,
        Call.json(FollowUpAccepted.class));
  }

  /// `POST /agent/runs/{runId}/cancel`; returns the id. Fails with [RunsException.BadRequest] for a
  /// run that has already ended, even if an earlier attempt of this very call cancelled it, and
  /// with [RunsException.Conflict] for one that is being prepared.
  public Call<String> cancel(String runId) {
    return api.call(
        "cancel run " + runId,
        "POST",
        api.url("agent", "runs", runId, "cancel"),
        null,
        Effect.IDEMPOTENT,
        Call.string());
  }

  /// Like [#cancel], but also cancels a run that is blocked. Runnel's own service offers this;
  /// another service may answer as to [#cancel], with [RunsException.BadRequest].
  public Call<String> cancelEvenIfBlocked(String runId) {
    return cancel(runId).withOptions(options -> options.withQuery("include_blocked", "true"));
  }

  /// `POST /agent/runs/{runId}/interrupt`: stops the agent's current activity without ending the
  /// run.
  public Call<Done> interrupt(String runId) {
    return api.call(
        "interrupt run " + runId,
        "POST",
        api.url("agent", "runs", runId, "interrupt"),
        null,
        Effect.IDEMPOTENT,
        Call.done());
  }

  /// `GET /agent/runs/{runId}/conversation`. Fails with [RunsException.Unprocessable] if its format
  /// is not supported.
  public Call<Conversation> conversation(String runId) {
    return api.get(
        "read the conversation of run " + runId,
        Call.json(Conversation.class),
        api.url("agent", "runs", runId, "conversation"));
  }

  /// `GET /agent/runs/{runId}/transcript`, following the redirect to its signed URL. For long
  /// transcripts use [a streamed body][Call#withStreamedBody()].
  public Call<byte[]> transcript(String runId) {
    return api.get(
        "read the transcript of run " + runId,
        Call.bytes(),
        api.url("agent", "runs", runId, "transcript"));
  }

  /// `GET /agent/runs/{runId}/harness-usage`: what Claude Code or Codex counted.
  public Call<HarnessUsage> harnessUsage(String runId) {
    return api.get(
        "read the usage of run " + runId,
        Call.json(HarnessUsage.class),
        api.url("agent", "runs", runId, "harness-usage"));
  }

  /// `GET /agent/runs/{runId}/timeline`.
  public Call<List<TimelineEvent>> timeline(String runId) {
    return api.get(
        "read the timeline of run " + runId,
        Call.list("events", TimelineEvent.class),
        api.url("agent", "runs", runId, "timeline"));
  }

  /// `GET /agent/runs/{runId}/handoff/attachments`.
  public Call<List<HandoffAttachment>> handoffAttachments(String runId) {
    return api.get(
        "list the attachments of run " + runId,
        Call.list("attachments", HandoffAttachment.class),
        api.url("agent", "runs", runId, "handoff", "attachments"));
  }

  /// `GET /agent/run-by-external-reference`: the id of the run that produced the artifact with this
  /// URL, such as a pull request. Fails with [RunsException.NotFound] also for a run that the
  /// caller may not see.
  public Call<String> idByReference(String url) {
    return api.get(
        "find the run of a reference",
        Call.string("run_id"),
        api.url("agent", "run-by-external-reference"),
        List.of(new RequestOptions.Parameter("url", url)));
  }

  /// Creates a run at most once, even if responses are lost or the call is repeated after a crash.
  /// The key is sent as metadata `idempotency_key` and as the header of that name. A creation with
  /// unknown outcome is repeated only after a list shows that no run carries the key.
  ///
  /// If the service neither filters by metadata nor returns it, a creation with unknown outcome is
  /// not repeated, and an earlier creation is not found.
  ///
  /// @param key 1 to 256 bytes; identical for repetitions, unique for each run
  public Operation<CreatedRun> createOnce(CreateRun run, String key) {
    return createOnce(run, KEY, key);
  }

  /// @param name name of the metadata entry that carries the key
  public Operation<CreatedRun> createOnce(CreateRun run, String name, String key) {
    RequestChecks.check(run);
    return new Operation<>(api.context(), () -> keyed(name, key).create(run));
  }

  /// Looks up the run that was created with this key.
  public Operation<LookupResult> lookUp(String key) {
    return lookUp(KEY, key);
  }

  /// Looks up a run by metadata. Searches the newest runs if the service cannot filter.
  ///
  /// @param name name of the metadata entry
  public Operation<LookupResult> lookUp(String name, String key) {
    return new Operation<>(api.context(), keyed(name, key)::lookUp);
  }

  /// Waits until a run has ended or is blocked. Temporary failures are retried: no connection, an
  /// overloaded or failing service. An unknown state counts as active.
  public Operation<RunItem> await(String runId) {
    return await(runId, WaitOptions.USUAL);
  }

  public Operation<RunItem> await(String runId, WaitOptions how) {
    return new Operation<>(api.context(), () -> new RunWaiter(this, time(), runId, how).await());
  }

  /// Cancels a run and returns it once it has ended. A run that had already ended is returned.
  /// While the run is being prepared, or the service fails, the request is retried.
  ///
  /// @throws RunsException.BadRequest if the run is blocked: see [#cancelEvenIfBlocked]
  /// @throws RunsException.Unprocessable if this kind of run cannot be cancelled
  /// @throws RunsException.TimedOut after two minutes
  public Operation<RunItem> ensureCancelled(String runId) {
    return ensureCancelled(runId, WaitOptions.USUAL.atMost(CANCELLED_WITHIN));
  }

  public Operation<RunItem> ensureCancelled(String runId, WaitOptions how) {
    return new Operation<>(api.context(), () -> new RunWaiter(this, time(), runId, how).cancel());
  }

  /// Watches all runs of a query for changes from now on.
  ///
  /// @param interval delay between two requests
  public Watch watch(ListRuns query, Duration interval) {
    RequestOptions.requirePositive(interval);
    return new Watch(api.context(), this, query, interval, Optional.empty());
  }

  private IdempotentCreate keyed(String name, String key) {
    if (key.isBlank()) {
      throw new IllegalArgumentException("A key must not be empty or blank");
    }
    return new IdempotentCreate(this, time(), name, key);
  }

  private Time time() {
    return api.context().time();
  }

  private Call<Page<RunItem>> list(ListRuns query, Set<String> earlier) {
    return api.get(
        "list runs",
        Page.reader(
            RunPage.class,
            RunPage::runs,
            RunPage::pageInfo,
            earlier,
            (cursor, cursors) -> list(query.cursor(cursor), cursors)),
        api.url("agent", "runs"),
        query.parameters());
  }
}
