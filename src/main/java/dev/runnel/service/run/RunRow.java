package dev.runnel.service.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.database.Rows;
import dev.runnel.service.run.limit.QueuePosition;
import dev.runnel.wire.ArtifactItem;
import dev.runnel.wire.ArtifactType;
import dev.runnel.wire.ErrorCode;
import dev.runnel.wire.ExecutionLocation;
import dev.runnel.wire.PullRequestStatus;
import dev.runnel.wire.RunItem;
import dev.runnel.wire.RunSource;
import dev.runnel.wire.RunStateValue;
import dev.runnel.wire.Scope;
import dev.runnel.wire.SkillOfRun;
import dev.runnel.wire.StatusMessage;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// A run as stored.
///
/// @param finishedAt when it last ended; empty while it is active
/// @param execution how many executions have started
/// @param worked total duration of the ended executions
/// @param rootRunId the run at the top of its tree
/// @param resolved the defaults that were applied where the configuration leaves members out
/// @param evidence what was observed of the last execution that ended, as JSON
/// @param isCancelRequested whether cancellation was requested and its processes have not ended yet
@RecordBuilder
public record RunRow(
    String id,
    ExecutionState state,
    String title,
    String prompt,
    String source,
    Instant createdAt,
    Instant updatedAt,
    Optional<Instant> startedAt,
    Optional<Instant> finishedAt,
    int execution,
    Optional<Instant> executionStartedAt,
    Duration worked,
    boolean isCancelRequested,
    Optional<StatusMessage> status,
    Optional<String> config,
    Optional<String> metadata,
    Optional<String> artifacts,
    Optional<String> conversationId,
    Optional<String> parentRunId,
    Optional<String> sessionId,
    Optional<String> agentSession,
    Optional<String> usage,
    Optional<String> request,
    Optional<String> creator,
    Optional<String> executor,
    Optional<String> factoryUid,
    Optional<String> schedule,
    Optional<String> triggerUrl,
    int depth,
    String mode,
    String rootRunId,
    Optional<String> resolved,
    Optional<String> evidence)
    implements RunRowBuilder.With {
  /// Path prefix of the API.
  public static final String API = "/api/v1";

  // Neither is copied from a request.
  private static final String EVIDENCE = "evidence";
  private static final String ERROR_CATEGORY = "error_category";

  private static final Map<ErrorCode, String> CATEGORIES =
      Map.of(
          ErrorCode.AGENT_PROCESS_FAILED, "agent",
          ErrorCode.ENVIRONMENT_SETUP_FAILED, "setup",
          ErrorCode.BUDGET_EXCEEDED, "budget");

  public static RunRow read(ResultSet row) throws SQLException {
    return new RunRow(
        row.getString("id"),
        ExecutionState.valueOf(row.getString("state")),
        row.getString("title"),
        row.getString("prompt"),
        row.getString("source"),
        Rows.instant(row, "created_at"),
        Rows.instant(row, "updated_at"),
        instant(row, "started_at"),
        instant(row, "finished_at"),
        row.getInt("execution"),
        instant(row, "execution_started_at"),
        Duration.of(row.getLong("worked"), ChronoUnit.MICROS),
        row.getInt("cancel_asked") != 0,
        status(row),
        Rows.text(row, "config"),
        Rows.text(row, "metadata"),
        Rows.text(row, "artifacts"),
        Rows.text(row, "conversation_id"),
        Rows.text(row, "parent_run_id"),
        Rows.text(row, "session_id"),
        Rows.text(row, "agent_session"),
        Rows.text(row, "request_usage"),
        Rows.text(row, "request"),
        Rows.text(row, "creator"),
        Rows.text(row, "executor"),
        Rows.text(row, "factory_uid"),
        Rows.text(row, "schedule"),
        Rows.text(row, "trigger_url"),
        row.getInt("depth"),
        row.getString("mode"),
        Rows.text(row, "root_run_id").orElse(row.getString("id")),
        Rows.text(row, "resolved"),
        Rows.text(row, "evidence"));
  }

  /// The cost of its models so far, as far as agents report it.
  public BigDecimal dollars() {
    return usage.map(Usage::fromJson).flatMap(Usage::dollars).orElse(BigDecimal.ZERO);
  }

  /// The run as the API shows it: members as sent, unknown ones included, with secrets masked. The
  /// prompt is the submitted one, so it is not repeated in a member for that.
  public ObjectNode toJson(URI publicUrl, Instant now) {
    var item = ServiceJson.object(item(publicUrl, now));
    if (config.isPresent() || resolved.isPresent()) {
      item.set("agent_config", publicConfig());
    }
    errorCategory().ifPresent(category -> item.put(ERROR_CATEGORY, category));
    // Always present, so that clients need not interpret its absence.
    if (finishedAt.isEmpty()) {
      item.putNull("finished_at");
    }
    item.path("artifacts").forEach(RunRow::completePullRequest);
    creator.ifPresent(json -> item.set("creator", ServiceJson.read(json)));
    executor.ifPresent(json -> item.set("executor", ServiceJson.read(json)));
    schedule.ifPresent(json -> item.set("schedule", ServiceJson.read(json)));
    usage.ifPresent(
        json -> item.set("request_usage", ServiceJson.read(Usage.fromJson(json).toJson())));
    evidence
        .filter(_ -> state != ExecutionState.INPROGRESS && state != ExecutionState.QUEUED)
        .ifPresent(json -> item.set(EVIDENCE, ServiceJson.read(json)));
    request
        .map(ServiceJson::read)
        .ifPresent(
            rest ->
                rest.properties()
                    .forEach(
                        member -> {
                          if (!item.has(member.getKey())
                              && !member.getKey().equals(EVIDENCE)
                              && !member.getKey().equals(ERROR_CATEGORY)) {
                            item.set(member.getKey(), member.getValue());
                          }
                        }));
    return item;
  }

  /// The requested configuration plus the applied defaults.
  private JsonNode publicConfig() {
    var shown = (ObjectNode) configNode();
    ToolServerSecrets.mask(shown);
    var defaults = resolved.map(ServiceJson::read).orElseGet(ServiceJson::newObject);
    for (var member : List.of("environment_id", "model_id")) {
      if (defaults.has(member)) {
        shown.set(member, defaults.get(member));
      }
    }
    if (defaults.has("harness")) {
      var harness =
          shown.path("harness") instanceof ObjectNode given ? given : shown.putObject("harness");
      harness.set("type", defaults.get("harness"));
    }
    return shown;
  }

  /// Pull requests that were stored before the status became required have none.
  private static void completePullRequest(JsonNode artifact) {
    if (artifact.path("artifact_type").asText().equals(ArtifactType.PULL_REQUEST.value())
        && artifact.path("data") instanceof ObjectNode data
        && !data.has("status")) {
      data.put("status", PullRequestStatus.UNKNOWN.value());
    }
  }

  /// Returns a copy whose status message states the position in the queue.
  public RunRow withQueuePosition(QueuePosition position) {
    return withStatus(
        Optional.of(new StatusMessage(position.description(), null, null, null, null, Map.of())));
  }

  /// What failed: `agent`, `setup` or `budget`; empty if the run did not fail, or the service
  /// failed.
  private Optional<String> errorCategory() {
    return status
        .map(StatusMessage::errorCode)
        .filter(_ -> state == ExecutionState.FAILED)
        .flatMap(code -> Optional.ofNullable(CATEGORIES.get(code)));
  }

  /// The catalogue has no code for an agent that fails: its `agent_process_failed` is for runs that
  /// end as ERROR, and the other codes name other causes. The category tells it.
  private StatusMessage published(StatusMessage stored) {
    return state == ExecutionState.FAILED
            && ErrorCode.AGENT_PROCESS_FAILED.equals(stored.errorCode())
        ? new StatusMessage(stored.message(), null, stored.retryable(), null, null, Map.of())
        : stored;
  }

  /// Whether the run will soon need its workspace: it is active, or asked for its workspace to be
  /// kept for some minutes after its end.
  public boolean needsWorkspace(Instant now) {
    var kept = Duration.ofMinutes(configNode().path("idle_timeout_minutes").asLong(0));
    return switch (state) {
      case QUEUED, INPROGRESS -> true;
      case BLOCKED -> now.isBefore(updatedAt.plus(kept));
      case SUCCEEDED, FAILED, ERROR, CANCELLED ->
          finishedAt.filter(end -> now.isBefore(end.plus(kept))).isPresent();
    };
  }

  public List<ArtifactItem> artifactItems() {
    return artifacts.map(json -> ServiceJson.readList(json, ArtifactItem.class)).orElse(List.of());
  }

  public Map<String, String> metadataEntries() {
    var entries = new LinkedHashMap<String, String>();
    metadata.ifPresent(
        json ->
            ServiceJson.read(json)
                .properties()
                .forEach(entry -> entries.put(entry.getKey(), entry.getValue().asText())));
    return entries;
  }

  public JsonNode configNode() {
    return config.map(ServiceJson::read).orElseGet(ServiceJson::newObject);
  }

  private RunItem item(URI publicUrl, Instant now) {
    var item =
        RunItem.builder()
            .runId(id)
            .taskId(id)
            .title(title)
            .state(new RunStateValue(state.name()))
            .prompt(prompt)
            .createdAt(createdAt)
            .updatedAt(updatedAt)
            .source(new RunSource(source))
            .artifacts(artifactItems())
            .executionLocation(ExecutionLocation.REMOTE)
            .metadata(metadataEntries())
            .sandboxRunning(state == ExecutionState.INPROGRESS)
            .scope(scope())
            .rootRunId(rootRunId)
            .debugAgentAvailable(false)
            .cancellable(true);
    skill().ifPresent(item::agentSkill);
    factoryUid.ifPresent(item::factoryUid);
    finishedAt.ifPresent(item::finishedAt);
    triggerUrl.or(() -> scheduleLink(publicUrl)).ifPresent(item::triggerUrl);
    status.map(this::published).ifPresent(item::statusMessage);
    conversationId.ifPresent(item::conversationId);
    parentRunId.ifPresent(item::parentRunId);
    sessionId.ifPresent(session -> item.sessionId(session).sessionLink(link(publicUrl)));
    startedAt.ifPresent(
        at -> item.startedAt(at).runTime(runTime(now).truncatedTo(ChronoUnit.MILLIS).toString()));
    return item.build();
  }

  private Scope scope() {
    var team =
        request.map(ServiceJson::read).map(rest -> rest.path("team").asBoolean(true)).orElse(true);
    return new Scope(team ? "Team" : "User", "runnel", Map.of());
  }

  private Optional<SkillOfRun> skill() {
    var spec = configNode().path("skill_spec").asText("");
    return spec.isBlank()
        ? Optional.empty()
        : Optional.of(new SkillOfRun(NewRun.skillName(spec), null, spec, null, Map.of()));
  }

  private String link(URI publicUrl) {
    return base(publicUrl) + "/runs/" + id;
  }

  private Optional<String> scheduleLink(URI publicUrl) {
    return schedule.map(
        json ->
            base(publicUrl)
                + API
                + "/agent/schedules/"
                + ServiceJson.read(json).path("schedule_id").asText());
  }

  private static String base(URI publicUrl) {
    return publicUrl.toString().replaceAll("(?<!/)/+$", "");
  }

  private Duration runTime(Instant now) {
    return state == ExecutionState.INPROGRESS && executionStartedAt.isPresent()
        ? worked.plus(Duration.between(executionStartedAt.get(), now))
        : worked;
  }

  private static Optional<StatusMessage> status(ResultSet row) throws SQLException {
    var message = row.getString("status_message");
    if (message == null) {
      return Optional.empty();
    }
    var code = row.getString("error_code");
    return Optional.of(
        new StatusMessage(
            message,
            code == null ? null : new ErrorCode(code),
            code == null ? null : row.getInt("retryable") != 0,
            null,
            null,
            Map.of()));
  }

  /// Approximate size in a list response, in bytes.
  public long bytes() {
    return Stream.of(
            Optional.of(prompt),
            Optional.of(title),
            status.map(StatusMessage::message),
            config,
            metadata,
            artifacts,
            usage,
            request)
        .flatMap(Optional::stream)
        .mapToLong(text -> text.getBytes(StandardCharsets.UTF_8).length)
        .sum();
  }

  private static Optional<Instant> instant(ResultSet row, String column) throws SQLException {
    var micros = row.getLong(column);
    return row.wasNull()
        ? Optional.empty()
        : Optional.of(Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
  }

  /// Leaves out the prompt and the title, which are private.
  @Override
  public String toString() {
    return "RunRow[run=" + id + ", state=" + state + ", execution=" + execution + "]";
  }
}
