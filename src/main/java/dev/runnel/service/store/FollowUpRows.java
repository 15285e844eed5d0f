package dev.runnel.service.store;

import dev.runnel.database.Rows;
import dev.runnel.service.run.ExecutionRequest;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/// Reads and writes follow-ups, within one transaction. A follow-up waits until an execution
/// receives it.
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
  List<UnreadFollowUp> unread(Collection<String> runIds) throws SQLException {
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
        UnreadFollowUp::read,
        runIds.toArray());
  }

  /// A follow-up that waits for an agent.
  ///
  /// @param isOffered whether it was written to an agent whose node was lost, so that the agent may
  ///   have read it
  record Waiting(String id, String message, boolean isOffered) {
    private static final String MAYBE_READ =
        "You may have read this message before you were interrupted. If so, do not do it twice:";

    static Waiting read(ResultSet row) throws SQLException {
      return new Waiting(
          row.getString("id"), row.getString("message"), row.getString("offered") != null);
    }

    /// The text for an agent whose execution starts with it.
    String promptText() {
      return isOffered ? MAYBE_READ + "\n\n" + message : message;
    }
  }

  List<Waiting> waiting(String runId) throws SQLException {
    return rows.list(
        """
        SELECT id, message, offered FROM follow_ups WHERE run_id = ? AND execution IS NULL
        ORDER BY created_at, id
        """,
        Waiting::read,
        runId);
  }

  /// The waiting follow-ups that were not offered to the working agent of an execution. None if one
  /// of them asks for another mode, or the run is being cancelled or interrupted.
  List<Waiting> offerable(ExecutionRequest executionRequest) throws SQLException {
    return rows.list(
        """
        SELECT follow_ups.id, message, offered FROM follow_ups JOIN runs ON runs.id = run_id
        WHERE run_id = ? AND follow_ups.execution IS NULL
          AND (offered IS NULL OR offered <> runs.execution)
          AND runs.claim = ? AND takes_messages = 1 AND cancel_asked = 0 AND interrupt_asked = 0
        ORDER BY follow_ups.created_at, follow_ups.id
        """,
        Waiting::read,
        executionRequest.runId(),
        executionRequest.claim());
  }

  void offer(String followUp, int execution) throws SQLException {
    rows.change("UPDATE follow_ups SET offered = ? WHERE id = ?", execution, followUp);
  }

  /// @return the message; empty if it is no longer waiting
  Optional<String> markRead(ExecutionRequest executionRequest, String followUp)
      throws SQLException {
    var changed =
        rows.change(
            """
            UPDATE follow_ups SET execution = ?
            WHERE id = ? AND run_id = ? AND execution IS NULL
            """,
            executionRequest.execution(),
            followUp,
            executionRequest.runId());
    return changed == 0
        ? Optional.empty()
        : rows.first(
            "SELECT message FROM follow_ups WHERE id = ?",
            row -> row.getString("message"),
            followUp);
  }

  void withdrawOffers(ExecutionRequest executionRequest) throws SQLException {
    rows.change(
        """
        UPDATE follow_ups SET offered = NULL WHERE run_id = ? AND offered = ? AND execution IS NULL
        """,
        executionRequest.runId(),
        executionRequest.execution());
  }

  /// Marks the follow-ups of an execution that ended before its agent started as undelivered.
  void returnUndelivered(String runId, int execution) throws SQLException {
    rows.change(
        "UPDATE follow_ups SET execution = 0 WHERE run_id = ? AND execution = ?", runId, execution);
  }

  /// @param execution the execution that receives them; 0 if a cancellation drops them
  void assign(String runId, int execution) throws SQLException {
    rows.change(
        "UPDATE follow_ups SET execution = ? WHERE run_id = ? AND (execution IS NULL OR execution <"
            + " 0)",
        execution,
        runId);
  }
}
