package dev.runnel.store.audit;

import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.port.Store;
import dev.runnel.database.Rows;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/// Appends to the audit log. Entries are written at the end of their transaction, because all
/// writers of all nodes wait for one lock: the chain has one order.
public final class AuditWriter implements Store.Audit {
  private record End(long seq, String hash) {}

  private final Rows rows;
  private final List<AuditEntry> added = new ArrayList<>();

  public AuditWriter(Rows rows) {
    this.rows = rows;
  }

  @Override
  public void add(AuditEntry entry) {
    added.add(entry);
  }

  /// Writes the entries. Must be the transaction's last step, so that the lock on the chain's end
  /// is held only briefly, and not while waiting for other locks.
  public void write() throws SQLException {
    if (added.isEmpty()) {
      return;
    }
    // The update waits for other writers, and locks the row until the commit.
    rows.change("UPDATE audit_ends SET last_seq = last_seq WHERE id = 1");
    var end =
        rows.first(
                "SELECT last_seq, last_hash FROM audit_ends WHERE id = 1",
                row -> new End(row.getLong(1), row.getString(2)))
            .orElseThrow(() -> new SQLException("The audit log has no end"));
    for (var entry : added) {
      var row = AuditRow.of(end.seq() + 1, end.hash(), entry);
      rows.change(
          "INSERT INTO audit (seq, at, facts, personal, salt, actor, run, hash) VALUES (?, ?, ?, ?,"
              + " ?, ?, ?, ?)",
          row.seq(),
          row.at(),
          row.facts(),
          row.personal(),
          row.salt(),
          row.actor(),
          row.run(),
          row.hash());
      end = new End(row.seq(), row.hash());
    }
    rows.change(
        "UPDATE audit_ends SET last_seq = ?, last_hash = ? WHERE id = 1", end.seq(), end.hash());
    added.clear();
  }
}
