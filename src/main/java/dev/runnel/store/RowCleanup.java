package dev.runnel.store;

import dev.runnel.database.Database;
import dev.runnel.store.audit.AuditLog;
import dev.runnel.store.row.QueueTable;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Deletes the bot's rows that are older than the [Retention]. For one caller at a time.
final class RowCleanup {
  private static final Logger log = LoggerFactory.getLogger(RowCleanup.class);
  private static final int MAX_DELETED_PER_COMMIT = 500;

  /// Between deletions of rows that are kept for months, because finding them is slow.
  private static final Duration INTERVAL_OF_OLD = Duration.ofDays(1);

  private final Database database;
  private final Retention retention;
  private volatile Instant nextOfOld = Instant.EPOCH;

  RowCleanup(Database database, Retention retention) {
    this.database = database;
    this.retention = retention;
  }

  void run(Instant now) {
    deleteEnded(now.minus(retention.deliveries()), now.minus(retention.parked()));
    if (now.isAfter(nextOfOld)) {
      nextOfOld = now.plus(INTERVAL_OF_OLD);
      deleteOld(now);
    }
  }

  private void deleteOld(Instant now) {
    var entries = new AuditLog(database).prune(now.minus(retention.audit()));
    var erasure = new Erasure(database);
    var runs = erasure.forgetRunsBefore(now.minus(retention.runs()), now);
    var starts = erasure.forgetStartsBefore(now.minus(retention.starts()));
    if (entries + runs + starts > 0) {
      log.info("old rows deleted audit={} runs={} starts={}", entries, runs, starts);
    }
  }

  /// Deletes finished rows, which were kept to detect duplicates, and parked rows, in small
  /// commits, so that no sender waits for long.
  ///
  /// @param ended deletes rows that were finished before this time
  /// @param parked deletes rows that were parked before this time
  /// @return number of deleted rows
  int deleteEnded(Instant ended, Instant parked) {
    var sum = 0;
    for (var queueTable : QueueTable.values()) {
      sum += deleteEnded(queueTable, 1, ended) + deleteEnded(queueTable, 2, parked);
    }
    sum +=
        database.write(rows -> rows.change("DELETE FROM approvals WHERE decided_at < ?", parked));
    return sum;
  }

  private int deleteEnded(QueueTable queueTable, int state, Instant before) {
    var sum = 0;
    int deleted;
    do {
      deleted =
          database.write(
              rows ->
                  rows.change(
                      "DELETE FROM %s WHERE id IN (SELECT id FROM %s WHERE state = %d AND ended_at < ? ORDER BY ended_at LIMIT %d)"
                          .formatted(
                              queueTable.table(),
                              queueTable.table(),
                              state,
                              MAX_DELETED_PER_COMMIT),
                      before));
      sum += deleted;
    } while (deleted == MAX_DELETED_PER_COMMIT);
    return sum;
  }
}
