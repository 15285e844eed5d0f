package dev.runnel.service.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.database.Rows;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.ExecutionState;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.run.ToolPermissions;
import dev.runnel.service.run.TriggerMetadata;
import dev.runnel.service.run.Usage;
import dev.runnel.wire.ArtifactItem;
import dev.runnel.wire.RunMode;
import dev.runnel.wire.RunSource;
import dev.runnel.wire.UserInfo;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Reads and writes runs, within one transaction.
public record RunTable(Rows rows) {
  /// How often in a row the node of a run may be lost before the agent is started.
  private static final int MAX_LOST_CLAIMS = 3;

  /// A claim is that of the current execution of a run in progress, unless an older version, which
  /// knows no claims, changed the run after a rollback.
  private static final String HAS_OUTDATED_CLAIM =
      """
      claim IS NOT NULL AND (state <> 'INPROGRESS' OR NOT EXISTS (
        SELECT 1 FROM claims WHERE token = runs.claim AND claims.execution = runs.execution))
      """;

  /// An execution whose processes may be running on this node.
  ///
  /// @param claim see [ExecutionRequest#claim]
  /// @param node the process that claimed it
  public record ClaimedExecution(
      String runId,
      int execution,
      String claim,
      String node,
      Optional<Long> pid,
      Optional<Instant> startedAt) {}

  /// Access to the runs that wait for a slot, within the same transaction.
  WaitingRuns queue() {
    return new WaitingRuns(rows);
  }

  /// Access to follow-ups, within the same transaction.
  FollowUpRows followUps() {
    return new FollowUpRows(rows);
  }

  /// The origin of a run.
  ///
  /// @param creator the person who requested the run or for whom it was requested
  /// @param executor the account that the agent works as
  /// @param schedule the schedule as shown in a run
  /// @param rootRunId the root of its tree; empty if the run is the root
  record Origin(
      RunSource source,
      UserInfo creator,
      UserInfo executor,
      Optional<String> factoryUid,
      Optional<ObjectNode> schedule,
      Optional<String> rootRunId,
      int depth) {}

  void insert(String id, NewRun run, Origin origin, Instant at) throws SQLException {
    var config = run.config().orElseGet(ServiceJson::newObject);
    rows.change(
        """
        INSERT INTO runs (id, state, title, prompt, source, created_at, updated_at, queued_at,
          config, config_name, model_id, environment_id, skill_spec, metadata,
          conversation_id, parent_run_id, request, creator, creator_uid, executor, executor_uid,
          factory_uid, schedule_id, schedule, trigger_url, depth, mode, root_run_id, resolved)
        VALUES (?, 'QUEUED', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
          ?, ?)
        """,
        id,
        run.title(),
        run.prompt(),
        origin.source().value(),
        at,
        at,
        at,
        run.config().map(ServiceJson::write).orElse(null),
        config.path("name").asText(null),
        config.path("model_id").asText(run.resolved().path("model_id").asText(null)),
        run.resolved().path("environment_id").asText(text(config, "environment_id")),
        text(config, "skill_spec"),
        ServiceJson.write(run.metadata()),
        run.conversationId().orElse(id),
        run.parentRunId().orElse(null),
        run.rest().toString(),
        ServiceJson.write(origin.creator()),
        origin.creator().uid(),
        ServiceJson.write(origin.executor()),
        origin.executor().uid(),
        origin.factoryUid().orElse(null),
        origin.schedule().map(schedule -> schedule.path("schedule_id").asText()).orElse(null),
        origin.schedule().map(ObjectNode::toString).orElse(null),
        TriggerMetadata.url(run.metadata()).orElse(null),
        origin.depth(),
        run.mode().value(),
        origin.rootRunId().orElse(id),
        run.resolved().toString());
    new EventRows(rows).add(id, 0, EventRows.Type.RUN_CREATED, at);
    new FileRows(rows).attach(id, run.attachments());
    for (var entry : run.metadata().entrySet()) {
      rows.change(
          "INSERT INTO run_metadata (run_id, name, value) VALUES (?, ?, ?)",
          id,
          entry.getKey(),
          entry.getValue());
    }
  }

  /// Treats a blank member as absent.
  private static @Nullable String text(ObjectNode config, String member) {
    var text = config.path(member).asText("");
    return text.isBlank() ? null : text;
  }

  Optional<RunRow> find(String id) throws SQLException {
    return rows.first("SELECT * FROM runs WHERE id = ?", RunRow::read, id);
  }

  /// Whether a run is below another, at any depth.
  boolean isBelow(String id, String ancestor) throws SQLException {
    return rows.exists(
        """
        WITH RECURSIVE above (id) AS (
          SELECT parent_run_id FROM runs WHERE id = ?
          UNION SELECT runs.parent_run_id FROM runs JOIN above ON runs.id = above.id
        ) SELECT 1 FROM above WHERE id = ?
        """,
        id,
        ancestor);
  }

  Map<ExecutionState, Long> unfinished() throws SQLException {
    var numbers = new EnumMap<ExecutionState, Long>(ExecutionState.class);
    for (var state :
        List.of(ExecutionState.QUEUED, ExecutionState.INPROGRESS, ExecutionState.BLOCKED)) {
      numbers.put(
          state,
          rows.first(
                  "SELECT COUNT(*) AS number FROM runs WHERE state = ?",
                  row -> row.getLong("number"),
                  state.name())
              .orElse(0L));
    }
    return numbers;
  }

  /// The number of executions in progress.
  int working() throws SQLException {
    return rows.count("SELECT COUNT(*) FROM runs WHERE state = 'INPROGRESS'");
  }

  Optional<RunRow> bySession(String sessionId) throws SQLException {
    return rows.first("SELECT * FROM runs WHERE session_id = ?", RunRow::read, sessionId);
  }

  /// The newest run of a conversation.
  Optional<RunRow> newestOf(String conversationId) throws SQLException {
    return rows.first(
        "SELECT * FROM runs WHERE conversation_id = ? ORDER BY created_at DESC LIMIT 1",
        RunRow::read,
        conversationId);
  }

  Optional<RunRow> newestIn(String uid, String name, boolean orNone) throws SQLException {
    return rows.first(
        """
        SELECT * FROM runs
        WHERE environment_id IN (?, ?) OR (? = 1 AND COALESCE(environment_id, '') = '')
        ORDER BY created_at DESC LIMIT 1
        """,
        RunRow::read,
        uid,
        name,
        orNone);
  }

  Map<String, Instant> lastRunsOfSkills() throws SQLException {
    var last = new HashMap<String, Instant>();
    rows.list(
            """
            SELECT skill_spec, MAX(created_at) AS newest FROM runs
            WHERE skill_spec IS NOT NULL GROUP BY skill_spec
            """,
            row -> Map.entry(row.getString("skill_spec"), Rows.instant(row, "newest")))
        .forEach(entry -> last.put(entry.getKey(), entry.getValue()));
    return last;
  }

  List<String> runsOf(String conversationId) throws SQLException {
    return rows.texts(
        "SELECT id FROM runs WHERE conversation_id = ? ORDER BY created_at, id", conversationId);
  }

  /// The runs that have an artifact with this URL, the newest first; those that pushed the branch
  /// of the pull request come before those that only mention it.
  List<String> idsByArtifact(String url) throws SQLException {
    record Found(String id, boolean hasPushed) {}
    return rows
        .list(
            """
            SELECT id, artifacts FROM runs WHERE %s(artifacts, ?) > 0 ORDER BY created_at DESC
            """
                .formatted(rows.isEmbedded() ? "instr" : "strpos"),
            row -> new Found(row.getString("id"), hasPushed(url, row.getString("artifacts"))),
            ServiceJson.write(url))
        .stream()
        .sorted(Comparator.comparing(Found::hasPushed).reversed())
        .map(Found::id)
        .toList();
  }

  private static boolean hasPushed(String url, String artifacts) {
    return ServiceJson.readList(artifacts, ArtifactItem.class).stream()
        .anyMatch(
            artifact ->
                artifact instanceof ArtifactItem.PullRequest request
                    && url.equals(request.url())
                    && request.branch() != null
                    && !request.branch().isEmpty());
  }

  /// The run that gets the next free slot of a node; see [WaitingRuns#next].
  Optional<RunRow> nextQueued(int depth, NodeMembership node, int maxPerPerson)
      throws SQLException {
    var next = queue().next(depth, node, maxPerPerson);
    return next.isEmpty() ? Optional.empty() : find(next.get());
  }

  /// The number of descendants of a root run that were created since an instant.
  int countDescendants(String root, Instant since) throws SQLException {
    return rows.count(
        "SELECT COUNT(*) FROM runs" + " WHERE root_run_id = ? AND id <> ? AND created_at > ?",
        root,
        root,
        since);
  }

  /// The number of executions in progress at a depth.
  int working(int depth) throws SQLException {
    return rows.count("SELECT COUNT(*) FROM runs WHERE state = 'INPROGRESS' AND depth = ?", depth);
  }

  /// The run whose current execution has this claim.
  Optional<RunRow> claimedAs(String claim) throws SQLException {
    return rows.first("SELECT * FROM runs WHERE claim = ?", RunRow::read, claim);
  }

  /// Whether an older version changed runs without changing their claims.
  boolean hasIncorrectClaims() throws SQLException {
    return !unclaimed().isEmpty() || rows.exists("SELECT 1 FROM runs WHERE " + HAS_OUTDATED_CLAIM);
  }

  /// Runs in progress without a claim.
  private List<RunRow> unclaimed() throws SQLException {
    return rows.list(
        "SELECT * FROM runs WHERE state = 'INPROGRESS' AND claim IS NULL", RunRow::read);
  }

  /// Corrects the claims of runs that an older version changed.
  ///
  /// @param node the id of the process that started the agents; blank if that process has ended
  void correctClaims(String node, String nodeName, Instant at) throws SQLException {
    rows.change(
        "UPDATE runs SET claim = NULL, begun = 0, lost_claims = 0 WHERE " + HAS_OUTDATED_CLAIM);
    for (var run : unclaimed()) {
      addClaim(run, UUID.randomUUID().toString(), node, nodeName, at);
    }
  }

  /// Adds a claim for a run in progress, whose agent may have been started.
  private void addClaim(RunRow run, String claim, String node, String nodeName, Instant at)
      throws SQLException {
    rows.change("UPDATE runs SET claim = ?, begun = 1 WHERE id = ?", claim, run.id());
    rows.change(
        """
        INSERT INTO claims (token, node, node_name, run_id, execution, pid, pid_started_at, claimed_at)
        SELECT claim, ?, ?, id, execution, pid, pid_started_at, ? FROM runs WHERE id = ?
        """,
        node,
        nodeName,
        at,
        run.id());
  }

  /// Whether the claim of the execution is valid. Locks it until the end of this transaction.
  boolean lockClaim(ExecutionRequest executionRequest) throws SQLException {
    return rows.exists(
        "SELECT 1 FROM runs WHERE claim = ?" + (rows.isEmbedded() ? "" : " FOR UPDATE"),
        executionRequest.claim());
  }

  /// Records that all processes of an execution have ended.
  void deleteClaim(String claim) throws SQLException {
    rows.change("DELETE FROM claims WHERE token = ?", claim);
  }

  /// Records that the agent of the execution may be started from now on.
  void begin(String claim, String place) throws SQLException {
    rows.change(
        "UPDATE runs SET begun = 1, lost_claims = 0, place = ? WHERE claim = ?", place, claim);
  }

  /// The place of the run's workspace; empty before the first start of its agent.
  Optional<String> place(String id) throws SQLException {
    return rows.first("SELECT place FROM runs WHERE id = ?", row -> Rows.text(row, "place"), id)
        .flatMap(Function.identity());
  }

  /// Whether an execution can be repeated: its agent was not started, and its node was not lost too
  /// often in a row.
  boolean mayStartAgain(String claim) throws SQLException {
    return rows.exists(
        "SELECT 1 FROM runs WHERE claim = ? AND begun = 0 AND lost_claims < ?",
        claim,
        MAX_LOST_CLAIMS);
  }

  /// Returns a run to the queue, at its old place, as if it had not been claimed.
  void unclaim(RunRow run, Instant at) throws SQLException {
    // Messages that were appended to the prompt remain part of it.
    rows.change(
        """
        UPDATE follow_ups SET execution = CASE in_prompt WHEN 1 THEN -1 END
        WHERE run_id = ? AND execution = ?
        """,
        run.id(),
        run.execution());
    rows.change(
        "DELETE FROM transcript_lines WHERE run_id = ? AND execution = ?",
        run.id(),
        run.execution());
    rows.change(
        """
        UPDATE runs SET state = 'QUEUED', execution = execution - 1, claim = NULL,
          lost_claims = lost_claims + 1, status_message = NULL, execution_started_at = NULL,
          started_at = CASE WHEN execution = 1 THEN NULL ELSE started_at END, updated_at = ?
        WHERE id = ?
        """,
        at,
        run.id());
  }

  /// Revokes the keys of a run's agent.
  void revokeKeys(String id) throws SQLException {
    rows.change("DELETE FROM api_keys WHERE run_id = ?", id);
  }

  /// A changed run, with the data that other nodes need.
  public record Changed(
      String runId, ExecutionState state, boolean isCancelRequested, Instant at) {}

  /// Runs that were changed after a time, the earliest first.
  List<Changed> changedSince(Instant since, int limit) throws SQLException {
    return rows.list(
        """
        SELECT id, state, cancel_asked, updated_at FROM runs WHERE updated_at > ?
        ORDER BY updated_at LIMIT ?
        """,
        row ->
            new Changed(
                row.getString("id"),
                ExecutionState.valueOf(row.getString("state")),
                row.getInt("cancel_asked") != 0,
                Rows.instant(row, "updated_at")),
        since,
        limit);
  }

  /// Ids of runs below a run, at any depth, that have not ended.
  List<String> unfinishedBelow(String id) throws SQLException {
    return rows.texts(
        """
        WITH RECURSIVE family (id) AS (
          SELECT id FROM runs WHERE parent_run_id = ?
          UNION SELECT runs.id FROM runs JOIN family ON runs.parent_run_id = family.id
        ) SELECT runs.id AS id FROM runs JOIN family ON runs.id = family.id
        WHERE state IN ('QUEUED', 'INPROGRESS', 'BLOCKED')
        """,
        id);
  }

  void mode(String id, RunMode mode) throws SQLException {
    rows.change("UPDATE runs SET mode = ? WHERE id = ?", mode.value(), id);
  }

  Instant queuedAt(String id) throws SQLException {
    return rows.first(
            "SELECT queued_at FROM runs WHERE id = ?", row -> Rows.instant(row, "queued_at"), id)
        .orElseThrow();
  }

  void claim(ExecutionRequest executionRequest, NodeMembership node, Instant at)
      throws SQLException {
    rows.change(
        """
        UPDATE runs SET state = 'INPROGRESS', execution = execution + 1, session_id = ?,
          started_at = COALESCE(started_at, ?), execution_started_at = ?, updated_at = ?,
          cancel_asked = 0, interrupt_asked = 0, pid = NULL, pid_started_at = NULL, claim = ?,
          begun = 0
        WHERE id = ?
        """,
        executionRequest.sessionId(),
        at,
        at,
        at,
        executionRequest.claim(),
        executionRequest.runId());
    rows.change(
        """
        INSERT INTO claims (token, node, node_name, run_id, execution, claimed_at)
        VALUES (?, ?, ?, ?, ?, ?)
        """,
        executionRequest.claim(),
        node.id(),
        node.identity().name(),
        executionRequest.runId(),
        executionRequest.execution(),
        at);
  }

  void launched(String claim, long pid, Optional<Instant> startedAt) throws SQLException {
    for (var where : List.of("runs SET %s WHERE claim = ?", "claims SET %s WHERE token = ?")) {
      rows.change(
          "UPDATE " + where.formatted("pid = ?, pid_started_at = ?"),
          pid,
          startedAt.orElse(null),
          claim);
    }
  }

  void appendToPrompt(String id, String message, Instant at) throws SQLException {
    rows.change(
        """
        UPDATE runs SET updated_at = ?, prompt = CASE prompt WHEN '' THEN ? ELSE prompt || ? END
        WHERE id = ?
        """,
        at,
        message,
        "\n\n" + message,
        id);
  }

  void touch(String id, Instant at) throws SQLException {
    rows.change("UPDATE runs SET updated_at = ? WHERE id = ?", at, id);
  }

  /// Appends the run to the queue, for its next execution.
  void queue(String id, Instant at) throws SQLException {
    rows.change(
        """
        UPDATE runs SET state = 'QUEUED', queued_at = ?, updated_at = ?, status_message = NULL,
          error_code = NULL, retryable = NULL, finished_at = NULL
        WHERE id = ?
        """,
        at,
        at,
        id);
  }

  /// Adds the duration of the ended execution, and clears its process and its claim.
  void settle(String id, Duration worked) throws SQLException {
    rows.change(
        """
        UPDATE runs SET worked = ?, cancel_asked = 0, interrupt_asked = 0, pid = NULL,
          pid_started_at = NULL, claim = NULL, begun = 0, lost_claims = 0
        WHERE id = ?
        """,
        worked.dividedBy(ChronoUnit.MICROS.getDuration()),
        id);
  }

  void end(String id, ExecutionResult executionResult, Instant at) throws SQLException {
    rows.change(
        """
        UPDATE runs SET state = ?, status_message = ?, error_code = ?, retryable = ?,
          updated_at = ?, finished_at = ?
        WHERE id = ?
        """,
        executionResult.state().name(),
        executionResult.message(),
        executionResult.errorCode(),
        executionResult.errorCode() == null ? null : executionResult.retryable(),
        at,
        executionResult.state() == ExecutionState.BLOCKED ? null : at,
        id);
  }

  void requestCancel(String id, Instant at) throws SQLException {
    rows.change("UPDATE runs SET cancel_asked = 1, updated_at = ? WHERE id = ?", at, id);
  }

  /// Requests the end of the current execution, if its agent was started.
  void requestInterrupt(String id) throws SQLException {
    rows.change(
        """
        UPDATE runs SET interrupt_asked = 1
        WHERE id = ? AND state = 'INPROGRESS' AND pid IS NOT NULL
        """,
        id);
  }

  boolean isInterrupted(String claim) throws SQLException {
    return rows.exists("SELECT 1 FROM runs WHERE claim = ? AND interrupt_asked = 1", claim);
  }

  void status(String id, String message, Instant at) throws SQLException {
    rows.change("UPDATE runs SET status_message = ?, updated_at = ? WHERE id = ?", message, at, id);
  }

  void evidence(String id, String json) throws SQLException {
    rows.change("UPDATE runs SET evidence = ? WHERE id = ?", json, id);
  }

  ToolPermissions toolPermissions(String id) throws SQLException {
    return ToolPermissions.of(
        rows.first(
            "SELECT tool_permissions FROM runs WHERE id = ? AND tool_permissions IS NOT NULL",
            row -> row.getString("tool_permissions"),
            id));
  }

  void changeToolPermissions(String id, ToolPermissions before, ToolPermissions after)
      throws SQLException {
    if (!after.equals(before)) {
      toolPermissions(id, after);
    }
  }

  void toolPermissions(String id, ToolPermissions toolPermissions) throws SQLException {
    rows.change("UPDATE runs SET tool_permissions = ? WHERE id = ?", toolPermissions.toJson(), id);
  }

  void artifacts(String id, List<ArtifactItem> artifacts, Instant at) throws SQLException {
    rows.change(
        "UPDATE runs SET artifacts = ?, updated_at = ? WHERE id = ?",
        ServiceJson.write(artifacts),
        at,
        id);
  }

  void agentSession(String id, String session) throws SQLException {
    rows.change("UPDATE runs SET agent_session = ? WHERE id = ?", session, id);
  }

  /// @return what was added
  Usage addUsage(String id, Usage added) throws SQLException {
    var before =
        rows.first(
                "SELECT request_usage FROM runs WHERE id = ? AND request_usage IS NOT NULL",
                row -> Usage.fromJson(row.getString("request_usage")),
                id)
            .orElse(Usage.NONE);
    var after = before.plus(added);
    rows.change("UPDATE runs SET request_usage = ? WHERE id = ?", after.toJson(), id);
    return after.since(before);
  }

  /// Executions whose processes may be running on the node with this name.
  ///
  /// @param nodeName see [NodeIdentity#name]
  List<ClaimedExecution> executionsOn(String nodeName) throws SQLException {
    return rows.list(
        "SELECT * FROM claims WHERE node_name = ?",
        row ->
            new ClaimedExecution(
                row.getString("run_id"),
                row.getInt("execution"),
                row.getString("token"),
                row.getString("node"),
                Optional.of(row.getLong("pid")).filter(pid -> pid > 0),
                Optional.of(row.getLong("pid_started_at"))
                    .filter(micros -> micros > 0)
                    .map(micros -> Instant.EPOCH.plus(micros, ChronoUnit.MICROS))),
        nodeName);
  }

  boolean isClaimOver(String runId, String claim) throws SQLException {
    return rows.<Boolean>first(
            "SELECT claim FROM runs WHERE id = ?", row -> !claim.equals(row.getString(1)), runId)
        .orElse(false);
  }

  /// Whether the agent of the current execution was started.
  boolean isLaunched(String runId) throws SQLException {
    return rows.exists("SELECT 1 FROM runs WHERE id = ? AND pid IS NOT NULL", runId);
  }

  /// Marks the prompt as not to be sent, because the run was cancelled before an agent received it.
  void dropPrompt(String runId) throws SQLException {
    rows.change("UPDATE runs SET prompt_dropped = 1 WHERE id = ?", runId);
  }

  /// The initial prompt; empty if the run was cancelled before an agent received it.
  Optional<String> firstPrompt(String runId) throws SQLException {
    return rows.first(
        "SELECT prompt FROM runs WHERE id = ? AND prompt_dropped = 0",
        row -> row.getString("prompt"),
        runId);
  }

  /// Whether the working agent is offered the messages that arrive now; see
  /// [FollowUpRows#offerable].
  boolean acceptsMessages(String runId) throws SQLException {
    return rows.exists(
        """
        SELECT 1 FROM runs
        WHERE id = ? AND state = 'INPROGRESS' AND pid IS NOT NULL AND takes_messages = 1
          AND cancel_asked = 0 AND interrupt_asked = 0
        """,
        runId);
  }

  /// @param accepts whether the agent of the current execution takes messages while it works, and
  ///   the next execution has the same mode
  void acceptsMessages(String runId, boolean accepts) throws SQLException {
    rows.change("UPDATE runs SET takes_messages = ? WHERE id = ?", accepts, runId);
  }

  IdempotentResponses responses() {
    return new IdempotentResponses(rows);
  }

  /// Time of the latest change to any run.
  Optional<Instant> newestChange() throws SQLException {
    return rows.first(
        "SELECT updated_at FROM runs ORDER BY updated_at DESC LIMIT 1",
        row -> Rows.instant(row, "updated_at"));
  }
}
