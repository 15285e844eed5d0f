package dev.runnel.client;

import dev.runnel.client.HttpRequest.Effect;
import dev.runnel.wire.Conversation;
import dev.runnel.wire.CreateRun;
import dev.runnel.wire.CreatedRun;
import dev.runnel.wire.FollowUpAccepted;
import dev.runnel.wire.FollowUpMessage;
import dev.runnel.wire.HandoffAttachment;
import dev.runnel.wire.RunItem;
import dev.runnel.wire.RunPage;
import dev.runnel.wire.TimelineEvent;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Runs: `/agent/runs`. Ids that are empty, blank or made of dots are an
/// `IllegalArgumentException`.
public final class Runs {
  private static final String KEY = "idempotency_key";
  private static final Duration CANCELLED_WITHIN = Duration.ofMinutes(2);

  private final Resource api;

  Runs(Resource api) {
    this.api = api;
  }

  /// `POST /agent/run`. Repeated only when it certainly had no effect: it was not sent, or the
  /// service refused it. Where [RunsException#mayHaveHappened] says so, a run may exist all the
  /// same: see [#createOnce(CreateRun, String)].
  public Call<CreatedRun> create(CreateRun run) {
    return api.call(
        "create a run",
        "POST",
        api.url("agent", api.core().createPath()),
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

  /// All pages from the query's cursor on, read as they are asked for.
  public Pages<RunItem> pages(ListRuns query) {
    return new Pages<>(api.core(), list(query));
  }

  /// `POST /agent/runs/{runId}/followups`. Repeated only when it certainly had no effect. That it
  /// is accepted does not mean that it was acted on: read the run.
  public Call<FollowUpAccepted> followUp(String runId, FollowUpMessage message) {
    return api.call(
        "send a follow-up to run " + runId,
        "POST",
        api.url("agent", "runs", runId, "followups"),
        message,
        Effect.NON_IDEMPOTENT,
        Call.json(FollowUpAccepted.class));
  }

  /// `POST /agent/runs/{runId}/cancel`; answers the id. A run that had ended already is a
  /// [RunsException.BadRequest], also when it was an earlier, unanswered attempt of this very call
  /// that ended it; one that is being prepared is a [RunsException.Conflict].
  public Call<String> cancel(String runId) {
    return api.call(
        "cancel run " + runId,
        "POST",
        api.url("agent", "runs", runId, "cancel"),
        null,
        Effect.IDEMPOTENT,
        Call.string());
  }

  /// `POST /agent/runs/{runId}/interrupt`: stops what the agent does now, and keeps the run.
  public Call<Done> interrupt(String runId) {
    return api.call(
        "interrupt run " + runId,
        "POST",
        api.url("agent", "runs", runId, "interrupt"),
        null,
        Effect.IDEMPOTENT,
        Call.done());
  }

  /// `GET /agent/runs/{runId}/conversation`. A [RunsException.Unprocessable] where its format is
  /// not supported.
  public Call<Conversation> conversation(String runId) {
    return api.get(
        "read the conversation of run " + runId,
        Call.json(Conversation.class),
        api.url("agent", "runs", runId, "conversation"));
  }

  /// `GET /agent/runs/{runId}/transcript`, followed to the signed address where it is kept. Long
  /// ones are better read [with an open body][Call#withStreamedBody()].
  public Call<byte[]> transcript(String runId) {
    return api.get(
        "read the transcript of run " + runId,
        Call.bytes(),
        api.url("agent", "runs", runId, "transcript"));
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

  /// `GET /agent/run-by-external-reference`: the id of the run that made what is at this address,
  /// such as a pull request. A [RunsException.NotFound] also where it may not be seen.
  public Call<String> idByReference(String url) {
    return api.get(
        "find the run of a reference",
        Call.string("run_id"),
        api.url("agent", "run-by-external-reference"),
        List.of(new RequestOptions.Parameter("url", url)));
  }

  /// Creates a run at most once, whatever becomes of the answers, also when it is called again
  /// after a crash. The key goes along as metadata `idempotency_key`, and as the header of that
  /// name. A creation in doubt is repeated only when a list shows that no run carries the key.
  ///
  /// Where the service neither filters by metadata nor shows it, nothing in doubt is repeated, and
  /// an earlier creation is not found.
  ///
  /// @param key 1 to 256 bytes; the same for each repetition, another for each other run
  public Operation<CreatedRun> createOnce(CreateRun run, String key) {
    return createOnce(run, KEY, key);
  }

  /// @param name of the metadata that carries the key
  public Operation<CreatedRun> createOnce(CreateRun run, String name, String key) {
    return new Operation<>(api.core(), () -> keyed(name, key).create(run));
  }

  /// Whether there is a run that was created with this key.
  public Operation<LookupResult> lookUp(String key) {
    return lookUp(KEY, key);
  }

  /// Whether there is a run that carries this metadata. Falls back to the newest runs where the
  /// service cannot filter.
  ///
  /// @param name of the metadata
  public Operation<LookupResult> lookUp(String name, String key) {
    return new Operation<>(api.core(), keyed(name, key)::lookUp);
  }

  /// Waits until a run ended, or waits for somebody. What passes is waited out: no connection, a
  /// full or failing service. A state that is not known is waited out too.
  public Operation<RunItem> await(String runId) {
    return await(runId, WaitOptions.USUAL);
  }

  public Operation<RunItem> await(String runId, WaitOptions how) {
    return new Operation<>(api.core(), () -> new RunWaiter(this, time(), runId, how).await());
  }

  /// Makes sure that a run is over, and answers it. One that had ended already is fine; while it is
  /// being prepared, or the service fails, it is asked again.
  ///
  /// @throws RunsException.BadRequest where a run that waits for somebody cannot be cancelled
  /// @throws RunsException.Unprocessable where this kind of run cannot be cancelled
  /// @throws RunsException.TimedOut after two minutes
  public Operation<RunItem> ensureCancelled(String runId) {
    return ensureCancelled(runId, WaitOptions.USUAL.atMost(CANCELLED_WITHIN));
  }

  public Operation<RunItem> ensureCancelled(String runId, WaitOptions how) {
    return new Operation<>(api.core(), () -> new RunWaiter(this, time(), runId, how).cancel());
  }

  /// The changes of all runs of a query, from now on.
  ///
  /// @param interval between two looks
  public Watch watch(ListRuns query, Duration interval) {
    RequestOptions.requirePositive(interval);
    return new Watch(api.core(), this, query, interval, Optional.empty());
  }

  private IdempotentCreate keyed(String name, String key) {
    if (key.isBlank()) {
      throw new IllegalArgumentException("A key must not be empty or blank");
    }
    return new IdempotentCreate(this, time(), name, key);
  }

  private Time time() {
    return api.core().time();
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
