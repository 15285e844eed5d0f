package dev.runnel.service.store;

import dev.runnel.database.Rows;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/// Reads and writes the messages to runs, within one transaction. A message waits until an
/// execution has it.
record FollowUpRows(Rows rows) {
  /// @param key the caller's idempotency key
  /// @param inPrompt whether the message was appended to the prompt
  void add(
      String id, String runId, String message, Optional<String> key, boolean inPrompt, Instant at)
      throws SQLException {
    rows.change(
        """
        INSERT INTO follow_ups (id, run_id, message, created_at, request_key, execution, in_prompt)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
        id,
        runId,
        message,
        at,
        key.orElse(null),
        inPrompt ? -1 : null,
        inPrompt);
  }

  /// Follow-ups that no agent has received, and those that none will receive, oldest first.
  List<UntakenFollowUp> untaken(Collection<String> runIds) throws SQLException {
    if (runIds.isEmpty()) {
      return List.of();
    }
    return rows.list(
        """
        SELECT follow_ups.*, follow_ups.execution = 0 AS unread
        FROM follow_ups JOIN runs ON runs.id = follow_ups.run_id
        WHERE follow_ups.run_id IN (%s) AND (
          follow_ups.execution IS NULL OR follow_ups.execution <= 0
          OR (runs.state = 'INPROGRESS' AND runs.pid IS NULL
              AND follow_ups.execution = runs.execution))
        ORDER BY follow_ups.created_at, follow_ups.id
        """
            .formatted(String.join(", ", Collections.nCopies(runIds.size(), "?"))),
        UntakenFollowUp::read,
        runIds.toArray());
  }

  List<String> waiting(String runId) throws SQLException {
    return rows.list(
        """
        SELECT message FROM follow_ups WHERE run_id = ? AND execution IS NULL
        ORDER BY created_at, id
        """,
        row -> row.getString("message"),
        runId);
  }

  /// Hands back the follow-ups of an execution that ended before its agent started.
  void handBack(String runId, int execution) throws SQLException {
    rows.change(
        "UPDATE follow_ups SET execution = 0 WHERE run_id = ? AND execution = ?", runId, execution);
  }

  /// @param execution the execution that receives them; 0 if a cancellation drops them
  void give(String runId, int execution) throws SQLException {
    rows.change(
        "UPDATE follow_ups SET execution = ? WHERE run_id = ? AND (execution IS NULL OR execution <"
            + " 0)",
        execution,
        runId);
  }
}
