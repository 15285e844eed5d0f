package dev.runnel.service.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.database.Rows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Optional;

/// A follow-up that no agent has received: it waits for the next execution, or a cancellation made
/// it undelivered.
///
/// @param key the idempotency key that the caller sent with it
/// @param unread whether no agent will ever receive it
public record UnreadFollowUp(
    String id, String runId, String message, Optional<String> key, boolean unread) {
  static UnreadFollowUp read(ResultSet row) throws SQLException {
    return new UnreadFollowUp(
        row.getString("id"),
        row.getString("run_id"),
        row.getString("message"),
        Rows.text(row, "request_key"),
        row.getBoolean("unread"));
  }

  /// Adds a run's follow-ups to the run's JSON.
  ///
  /// @param withMessages whether to include the messages, which would make lists long
  public static void addTo(
      ObjectNode run, Collection<UnreadFollowUp> followUps, boolean withMessages) {
    var pending = run.putArray("pending_followups");
    var unread = run.putArray("unread_followups");
    for (var each : followUps) {
      var item = (each.unread() ? unread : pending).addObject().put("followup_id", each.id());
      each.key().ifPresent(key -> item.put("idempotency_key", key));
      if (withMessages) {
        item.put("message", each.message());
      }
    }
  }
}
