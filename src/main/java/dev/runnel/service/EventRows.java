package dev.runnel.service;

import dev.runnel.database.Rows;
import dev.runnel.wire.TimelineEvent;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

/// What happened to runs, within one transaction.
record EventRows(Rows rows) {
  /// What can happen.
  enum Type {
    RUN_CREATED,
    RUN_CLAIMED,
    CONTAINER_READY,
    SESSION_STARTED,
    AGENT_STARTED,
    RUN_DONE,
    RUN_BLOCKED,
    RUN_CANCELLED,
    RUN_FAILED,
    RUN_ERRORED;

    static Type ofEnd(Phase phase) {
      return switch (phase) {
        case SUCCEEDED -> RUN_DONE;
        case BLOCKED -> RUN_BLOCKED;
        case CANCELLED -> RUN_CANCELLED;
        case ERROR -> RUN_ERRORED;
        case FAILED, QUEUED, INPROGRESS -> RUN_FAILED;
      };
    }
  }

  void add(String runId, Type type, Instant at) throws SQLException {
    rows.change(
        "INSERT INTO run_events (uid, run_id, type, occurred_at) VALUES (?, ?, ?, ?)",
        UUID.randomUUID().toString(),
        runId,
        type.name().toLowerCase(Locale.ROOT),
        at);
  }

  List<TimelineEvent> of(String runId) throws SQLException {
    return rows.list(
        "SELECT * FROM run_events WHERE run_id = ? ORDER BY occurred_at, rowid",
        row ->
            new TimelineEvent(
                row.getString("uid"),
                runId,
                row.getString("type"),
                Rows.instant(row, "occurred_at"),
                null,
                Map.of()),
        runId);
  }
}
