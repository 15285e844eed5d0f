package dev.runnel.service.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.database.Rows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Optional;

/// A follow-up that no agent has: it waits for the next execution, or was handed back by a stop
/// that came first.
///
/// @param key the caller's name for it, as it was sent with it
/// @param unread whether no agent will have it
public record UntakenFollowUp(
    String id, String runId, String message, Optional<String> key, boolean unread) {
  static UntakenFollowUp read(ResultSet row) throws SQLException {
    return new UntakenFollowUp(
        row.getString("id"),
        row.getString("run_id"),
        row.getString("message"),
        Rows.text(row, "request_key"),
        row.getInt("unread") != 0);
  }

  /// Shows a run's with the run.
  ///
  /// @param withWords whether they are shown in full, which would make lists long
  public static void show(
      ObjectNode run, Collection<UntakenFollowUp> followUps, boolean withWords) {
    var pending = run.putArray("pending_followups");
    var unread = run.putArray("unread_followups");
    for (var each : followUps) {
      var item = (each.unread() ? unread : pending).addObject().put("followup_id", each.id());
      each.key().ifPresent(key -> item.put("idempotency_key", key));
      if (withWords) {
        item.put("message", each.message());
      }
    }
  }
}
