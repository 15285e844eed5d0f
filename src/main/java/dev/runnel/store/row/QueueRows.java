package dev.runnel.store.row;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.port.Store.Parked;
import dev.runnel.core.port.Store.Pending;
import dev.runnel.database.DatabaseException;
import dev.runnel.database.Rows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The common part of inbox and outbox: rows that are queued, attempted and finished or parked.
public final class QueueRows<T> {
  private static final Logger log = LoggerFactory.getLogger(QueueRows.class);

  static final String UNREADABLE =
      "This cannot be read: a newer version of Runnel wrote it, or it is damaged.";

  /// A statement whose SQL errors are reported as [DatabaseException].
  @FunctionalInterface
  public interface Statement<R> {
    R run() throws SQLException;
  }

  private final Rows rows;
  private final QueueTable queueTable;
  private final Rows.Reader<T> item;

  public QueueRows(Rows rows, QueueTable queueTable, Rows.Reader<T> item) {
    this.rows = rows;
    this.queueTable = queueTable;
    this.item = item;
  }

  public static <R> R sql(Statement<R> statement) {
    try {
      return statement.run();
    } catch (SQLException e) {
      throw new DatabaseException("The database refused a statement: " + e.getMessage(), e);
    }
  }

  /// A row that may be processed next.
  ///
  /// @param pending empty if the row cannot be read
  public record Candidate<T>(String id, Instant dueAt, Optional<Pending<T>> pending) {}

  /// The first row that is due. Unreadable rows are parked when they are due, and the rows behind
  /// them continue.
  public Optional<Pending<T>> next(Instant now, Supplier<List<Candidate<T>>> candidates) {
    while (true) {
      var first = candidates.get().stream().filter(each -> !each.dueAt().isAfter(now)).findFirst();
      if (first.isEmpty() || first.get().pending().isPresent()) {
        return first.flatMap(Candidate::pending);
      }
      log.error("unreadable row parked table={} id={}", queueTable.table(), first.get().id());
      park(first.get().id(), now, UNREADABLE);
    }
  }

  public Candidate<T> candidate(ResultSet row) throws SQLException {
    return new Candidate<>(row.getString("id"), Rows.instant(row, "due_at"), pending(row));
  }

  /// The row; empty if it cannot be read.
  public Optional<Pending<T>> pending(ResultSet row) throws SQLException {
    var tries = row.getInt("tries");
    var dueAt = Rows.instant(row, "due_at");
    return item(row).map(known -> new Pending<>(known, tries, dueAt));
  }

  private Optional<T> item(ResultSet row) throws SQLException {
    try {
      return Optional.of(item.read(row));
    } catch (StoredJson.Unreadable e) {
      log.warn("{} table={} id={}", e.getMessage(), queueTable.table(), row.getString("id"));
      return Optional.empty();
    }
  }

  /// The waiting rows that are readable.
  public List<Pending<T>> readable(String sql, Object... parameters) {
    return sql(
        () ->
            rows.list(sql, this::pending, parameters).stream().flatMap(Optional::stream).toList());
  }

  /// @return false if the row does not wait any more
  public boolean begin(String id) {
    return change("tries = tries + 1", id);
  }

  public void later(String id, Instant dueAt, String why) {
    change("due_at = ?, why = ?, waits_for = NULL", dueAt, why, id);
  }

  public void later(String id, Instant dueAt, String why, String service) {
    change("due_at = ?, why = ?, waits_for = ?", dueAt, why, service, id);
  }

  /// Makes everything due that waits for the service.
  ///
  /// @return the conversations concerned
  public List<Conversation> wake(String service, Instant now) {
    var waiting = "state = 0 AND waits_for = ?";
    return sql(
        () -> {
          var conversations =
              rows.list(
                  "SELECT DISTINCT conversation FROM %s WHERE %s"
                      .formatted(queueTable.table(), waiting),
                  row -> Conversation.parse(row.getString("conversation")),
                  service);
          if (!conversations.isEmpty()) {
            rows.change(
                "UPDATE %s SET due_at = CASE WHEN due_at < ? THEN due_at ELSE ? END, waits_for = NULL WHERE %s"
                    .formatted(queueTable.table(), waiting),
                now,
                now,
                service);
          }
          return conversations;
        });
  }

  public void end(String id, Instant at) {
    change("state = 1, ended_at = ?, why = NULL", at, id);
  }

  public void park(String id, Instant at, String why) {
    change("state = 2, ended_at = ?, why = ?", at, why, id);
  }

  /// The parked rows, newest first.
  public List<Parked<T>> parked(int limit) {
    return sql(
        () ->
            rows.list(
                "SELECT * FROM %s WHERE state = 2 ORDER BY ended_at DESC, seq DESC LIMIT ?"
                    .formatted(queueTable.table()),
                row ->
                    new Parked<>(
                        row.getString("id"),
                        Conversation.parse(row.getString("conversation")),
                        item(row),
                        Rows.text(row, "why").orElse(""),
                        Rows.instant(row, "ended_at")),
                limit));
  }

  /// Makes a parked row due now. If it was attempted before, the number of attempts stays above 0,
  /// so that the next attempt first checks whether the effect happened.
  public boolean retry(String id, Instant now) {
    return sql(
        () ->
            rows.change(
                    "UPDATE %s SET state = 0, tries = CASE WHEN tries > 0 THEN 1 ELSE 0 END, due_at = CASE WHEN due_at < ? THEN due_at ELSE ? END, ended_at = NULL WHERE id = ? AND state = 2"
                        .formatted(queueTable.table()),
                    now,
                    now,
                    id)
                == 1);
  }

  /// The conversation of a parked row.
  public Optional<Conversation> parkedIn(String id) {
    return sql(
        () ->
            rows.first(
                "SELECT conversation FROM %s WHERE id = ? AND state = 2"
                    .formatted(queueTable.table()),
                row -> Conversation.parse(row.getString("conversation")),
                id));
  }

  /// @return whether the row waits, and was changed
  public boolean change(String assignments, Object... parametersAndId) {
    return sql(
            () ->
                rows.change(
                    "UPDATE %s SET %s WHERE id = ? AND state = 0"
                        .formatted(queueTable.table(), assignments),
                    parametersAndId))
        == 1;
  }
}
