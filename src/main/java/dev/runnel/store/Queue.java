package dev.runnel.store;

import dev.runnel.core.model.Conversation;
import dev.runnel.core.port.Store.Pending;
import dev.runnel.database.DatabaseException;
import dev.runnel.database.Rows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

/// What inbox and outbox have in common: rows of a lane that wait, are tried, and end.
final class Queue<T> {
  /// A statement on our tables; its failure is the database's.
  @FunctionalInterface
  interface Statement<R> {
    R run() throws SQLException;
  }

  private final Rows rows;
  private final Lane lane;
  private final Rows.Reader<T> item;

  Queue(Rows rows, Lane lane, Rows.Reader<T> item) {
    this.rows = rows;
    this.lane = lane;
    this.item = item;
  }

  static <R> R sql(Statement<R> statement) {
    try {
      return statement.run();
    } catch (SQLException e) {
      throw new DatabaseException("The database refused a statement: " + e.getMessage(), e);
    }
  }

  /// The first waiting row, by the order given.
  Optional<Pending<T>> head(Conversation conversation, String order) {
    return sql(
        () ->
            rows.first(
                "SELECT * FROM %s WHERE conversation = ? AND state = 0 %s LIMIT 1"
                    .formatted(lane.table(), order),
                this::pending,
                conversation.id()));
  }

  Pending<T> pending(ResultSet row) throws SQLException {
    return new Pending<>(item.read(row), row.getInt("tries"), Rows.instant(row, "due_at"));
  }

  void begin(String id) {
    change("tries = tries + 1", id);
  }

  void later(String id, Instant dueAt, String why) {
    change("due_at = ?, why = ?", dueAt, why, id);
  }

  void end(String id, Instant at) {
    change("state = 1, ended_at = ?, why = NULL", at, id);
  }

  void park(String id, Instant at, String why) {
    change("state = 2, ended_at = ?, why = ?", at, why, id);
  }

  void change(String assignments, Object... parametersAndId) {
    sql(
        () ->
            rows.change(
                "UPDATE %s SET %s WHERE id = ? AND state = 0".formatted(lane.table(), assignments),
                parametersAndId));
  }
}
