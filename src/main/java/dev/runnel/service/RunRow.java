package dev.runnel.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.database.Rows;
import dev.runnel.wire.ArtifactItem;
import dev.runnel.wire.ErrorCode;
import dev.runnel.wire.ExecutionLocation;
import dev.runnel.wire.RunItem;
import dev.runnel.wire.RunSource;
import dev.runnel.wire.RunStateValue;
import dev.runnel.wire.StatusMessage;
import dev.runnel.wire.UserInfo;
import java.net.URI;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A run as it is kept.
///
/// @param execution how many executions have started
/// @param worked how long the ended executions took
/// @param cancelAsked whether its processes are to be ended, or being ended
record RunRow(
    String id,
    Phase phase,
    String title,
    String prompt,
    String source,
    Instant createdAt,
    Instant updatedAt,
    Optional<Instant> startedAt,
    int execution,
    Optional<Instant> executionStartedAt,
    Duration worked,
    boolean cancelAsked,
    Optional<StatusMessage> status,
    Optional<String> config,
    Optional<String> metadata,
    Optional<String> artifacts,
    Optional<String> conversationId,
    Optional<String> parentRunId,
    Optional<String> sessionId,
    Optional<String> agentSession) {
  /// Who creates all runs here: there is one key and no accounts.
  static final UserInfo CREATOR =
      new UserInfo("service_account", "runnel", "Runnel", null, null, Map.of());

  static RunRow read(ResultSet row) throws SQLException {
    return new RunRow(
        row.getString("id"),
        Phase.valueOf(row.getString("state")),
        row.getString("title"),
        row.getString("prompt"),
        row.getString("source"),
        Rows.instant(row, "created_at"),
        Rows.instant(row, "updated_at"),
        instant(row, "started_at"),
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
        Rows.text(row, "agent_session"));
  }

  /// As the API shows it. The configuration is shown as it was sent, unknown members included.
  ObjectNode show(URI publicUrl, Instant now) {
    var item = Json.object(item(publicUrl, now));
    config.ifPresent(json -> item.set("agent_config", Json.read(json)));
    return item;
  }

  /// With where it stands in the queue as its status message.
  ///
  /// @param place 1 for the next one
  RunRow waitingAt(int place) {
    return new RunRow(
        id,
        phase,
        title,
        prompt,
        source,
        createdAt,
        updatedAt,
        startedAt,
        execution,
        executionStartedAt,
        worked,
        cancelAsked,
        Optional.of(
            new StatusMessage(
                "Waiting for a free place (%s in the queue).".formatted(ordinal(place)),
                null,
                null,
                null,
                null,
                Map.of())),
        config,
        metadata,
        artifacts,
        conversationId,
        parentRunId,
        sessionId,
        agentSession);
  }

  private static String ordinal(int number) {
    var teens = number % 100 >= 11 && number % 100 <= 13;
    return number
        + switch (teens ? 0 : number % 10) {
          case 1 -> "st";
          case 2 -> "nd";
          case 3 -> "rd";
          default -> "th";
        };
  }

  List<ArtifactItem> artifactItems() {
    return artifacts.map(json -> Json.readList(json, ArtifactItem.class)).orElse(List.of());
  }

  Map<String, String> metadataEntries() {
    var entries = new LinkedHashMap<String, String>();
    metadata.ifPresent(
        json ->
            Json.read(json)
                .properties()
                .forEach(entry -> entries.put(entry.getKey(), entry.getValue().asText())));
    return entries;
  }

  JsonNode configNode() {
    return config.map(Json::read).orElseGet(Json::newObject);
  }

  private RunItem item(URI publicUrl, Instant now) {
    var item =
        RunItem.builder()
            .runId(id)
            .taskId(id)
            .title(title)
            .state(new RunStateValue(phase.name()))
            .prompt(prompt)
            .createdAt(createdAt)
            .updatedAt(updatedAt)
            .source(new RunSource(source))
            .creator(CREATOR)
            .artifacts(artifactItems())
            .executionLocation(ExecutionLocation.REMOTE)
            .metadata(metadataEntries())
            .cancellable(true);
    status.ifPresent(item::statusMessage);
    conversationId.ifPresent(item::conversationId);
    parentRunId.ifPresent(item::parentRunId);
    sessionId.ifPresent(session -> item.sessionId(session).sessionLink(link(publicUrl)));
    startedAt.ifPresent(
        at -> item.startedAt(at).runTime(runTime(now).truncatedTo(ChronoUnit.MILLIS).toString()));
    return item.build();
  }

  private String link(URI publicUrl) {
    return publicUrl.toString().replaceAll("/+$", "") + "/runs/" + id;
  }

  private Duration runTime(Instant now) {
    return phase == Phase.INPROGRESS && executionStartedAt.isPresent()
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

  private static Optional<Instant> instant(ResultSet row, String column) throws SQLException {
    var micros = row.getLong(column);
    return row.wasNull()
        ? Optional.empty()
        : Optional.of(Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
  }

  /// Without what people wrote.
  @Override
  public String toString() {
    return "RunRow[run=" + id + ", phase=" + phase + ", execution=" + execution + "]";
  }
}
