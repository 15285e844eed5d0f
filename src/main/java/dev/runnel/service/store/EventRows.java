package dev.runnel.service.store;

import dev.runnel.database.Rows;
import dev.runnel.service.run.ExecutionState;
import dev.runnel.wire.TimelineEvent;
import dev.runnel.wire.TimelineEventType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Reads and writes the events of runs, within one transaction.
record EventRows(Rows rows) {
  /// Event types. Rows store these names in lower case; the API uses other names.
  enum Type {
    RUN_CREATED(TimelineEventType.OZ_RUN_CREATED),
    RUN_CLAIMED(TimelineEventType.OZ_RUN_CLAIMED),
    CONTAINER_READY(TimelineEventType.WORKER_CONTAINER_READY),
    SESSION_STARTED(TimelineEventType.SHARED_SESSION_STARTED),
    AGENT_STARTED(TimelineEventType.AGENT_STARTED),
    RUN_DONE(TimelineEventType.OZ_RUN_DONE),
    RUN_BLOCKED(TimelineEventType.OZ_RUN_BLOCKED),
    RUN_CANCELLED(TimelineEventType.OZ_RUN_CANCELLED),
    RUN_FAILED(TimelineEventType.OZ_RUN_FAILED),
    RUN_ERRORED(TimelineEventType.OZ_RUN_ERRORED);

    private final String published;

    Type(TimelineEventType published) {
      this.published = published.value();
    }

    static Type ofEnd(ExecutionState executionState) {
      return switch (executionState) {
        case SUCCEEDED -> RUN_DONE;
        case BLOCKED -> RUN_BLOCKED;
        case CANCELLED -> RUN_CANCELLED;
        case ERROR -> RUN_ERRORED;
        case FAILED, QUEUED, INPROGRESS -> RUN_FAILED;
      };
    }
  }

  /// @param execution 1-based; 0 before the first execution
  void add(String runId, int execution, Type type, Instant at) throws SQLException {
    rows.change(
        "INSERT INTO run_events (uid, run_id, execution, type, occurred_at) VALUES (?, ?, ?, ?, ?)",
        UUID.randomUUID().toString(),
        runId,
        execution == 0 ? null : execution,
        type.name().toLowerCase(Locale.ROOT),
        at);
  }

  List<TimelineEvent> of(String runId) throws SQLException {
    return rows.list(
        "SELECT * FROM run_events WHERE run_id = ? ORDER BY occurred_at, "
            + (rows.isEmbedded() ? "rowid" : "number"),
        row ->
            new TimelineEvent(
                row.getString("uid"),
                runId,
                type(row),
                Rows.instant(row, "occurred_at"),
                null,
                execution(row),
                Map.of()),
        runId);
  }

  private static TimelineEventType type(ResultSet row) throws SQLException {
    var stored = Type.valueOf(row.getString("type").toUpperCase(Locale.ROOT));
    return new TimelineEventType(stored.published);
  }

  /// Rows of older versions have no execution.
  private static @Nullable Long execution(ResultSet row) throws SQLException {
    var execution = row.getLong("execution");
    return execution == 0 ? null : execution;
  }
}
