package dev.runnel.store;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Parked;
import dev.runnel.core.port.Store.Pending;
import dev.runnel.database.Rows;
import dev.runnel.store.SqlWork.Touched;
import dev.runnel.store.row.QueueTable;
import dev.runnel.store.row.RowSequence;
import dev.runnel.store.row.Statements;
import dev.runnel.store.row.StoredJson;
import dev.runnel.store.row.Urgency;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The common part of inbox and outbox: rows that are queued, attempted and finished or parked.
abstract class SqlQueue<I, T> implements Store.Queue<I, T> {
  private static final Logger log = LoggerFactory.getLogger(SqlQueue.class);

  private static final String UNREADABLE =
      "This row cannot be read: a newer version of Runnel wrote it, or it is damaged.";

  /// The columns of a [Turn].
  static final String TURN = "conversation, person, coalesce(urgency, 1) AS urgency";

  final Statements rows;
  final RowSequence sequence;
  private final Set<Touched> touched;
  private final QueueTable table;
  private final Function<I, String> idText;
  private final Rows.Reader<T> item;

  SqlQueue(
      Statements rows,
      RowSequence sequence,
      Set<Touched> touched,
      QueueTable table,
      Function<I, String> idText,
      Rows.Reader<T> item) {
    this.rows = rows;
    this.sequence = sequence;
    this.touched = touched;
    this.table = table;
    this.idText = idText;
    this.item = item;
  }

  /// Records that a conversation has new rows.
  final void touch(Turn turn) {
    touched.add(new Touched(table, turn));
  }

  /// Whose turn a row is.
  static Turn turn(ResultSet row) throws SQLException {
    return new Turn(
        Conversation.parse(row.getString("conversation")),
        Urgency.of(row.getInt("urgency")),
        Rows.text(row, "person").orElse(""));
  }

  private record Head<T>(String id, Instant dueAt, Optional<Pending<T>> pending) {}

  /// Unreadable rows are parked when they are due, and the rows behind them continue.
  @Override
  public final Optional<Pending<T>> next(Conversation conversation, Instant now) {
    while (true) {
      var first =
          heads(
                  "*",
                  conversation,
                  row -> new Head<>(row.getString("id"), Rows.instant(row, "due_at"), pending(row)))
              .stream()
              .filter(each -> !each.dueAt().isAfter(now))
              .findFirst();
      if (first.isEmpty() || first.get().pending().isPresent()) {
        return first.flatMap(Head::pending);
      }
      log.error("unreadable row parked table={} id={}", table.table(), first.get().id());
      park(first.get().id(), now, UNREADABLE);
    }
  }

  @Override
  public final Optional<Instant> due(Conversation conversation) {
    return heads("due_at", conversation, row -> Rows.instant(row, "due_at")).stream()
        .min(Instant::compareTo);
  }

  private <R> List<R> heads(String columns, Conversation conversation, Rows.Reader<R> reader) {
    return rows.list(table.heads(columns), reader, conversation.id(), conversation.id());
  }

  /// The row; empty if it cannot be read.
  final Optional<Pending<T>> pending(ResultSet row) throws SQLException {
    var tries = row.getInt("tries");
    var dueAt = Rows.instant(row, "due_at");
    return item(row).map(known -> new Pending<>(known, tries, dueAt));
  }

  final Optional<T> item(ResultSet row) throws SQLException {
    try {
      return Optional.of(item.read(row));
    } catch (StoredJson.Unreadable e) {
      log.warn("{} table={} id={}", e.getMessage(), table.table(), row.getString("id"));
      return Optional.empty();
    }
  }

  /// The rows of a query that are readable.
  final List<Pending<T>> readable(String sql, Object... parameters) {
    return rows.list(sql, this::pending, parameters).stream().flatMap(Optional::stream).toList();
  }

  @Override
  public final boolean begin(I id) {
    return change("tries = tries + 1", idText.apply(id));
  }

  @Override
  public final void postpone(I id, Instant dueAt, String why) {
    change("due_at = ?, why = ?, waits_for = NULL", dueAt, why, idText.apply(id));
  }

  @Override
  public final void postpone(I id, Instant dueAt, String why, String service) {
    change("due_at = ?, why = ?, waits_for = ?", dueAt, why, service, idText.apply(id));
  }

  @Override
  public final void makeDue(I id, String why) {
    rows.first(
            "SELECT %s FROM %s WHERE id = ? AND state = 0".formatted(TURN, table.table()),
            SqlQueue::turn,
            idText.apply(id))
        .ifPresent(this::touch);
    postpone(id, sequence.now(), why);
  }

  /// Makes all rows due that wait for the service. Of very many conversations the rest is found by
  /// the next search for rows that are due.
  final void wake(String service) {
    var now = sequence.now();
    var waiting = "state = 0 AND waits_for = ?";
    var turns =
        rows.list(
            "SELECT DISTINCT %s FROM %s WHERE %s LIMIT %d"
                .formatted(TURN, table.table(), waiting, FairTurns.MOST_WAITING + 1),
            SqlQueue::turn,
            service);
    if (!turns.isEmpty()) {
      rows.change(
          "UPDATE %s SET due_at = CASE WHEN due_at < ? THEN due_at ELSE ? END, waits_for = NULL WHERE %s"
              .formatted(table.table(), waiting),
          now,
          now,
          service);
    }
    turns.forEach(this::touch);
  }

  @Override
  public void park(I id, String why) {
    park(idText.apply(id), sequence.now(), why);
  }

  private void park(String id, Instant at, String why) {
    change("state = 2, ended_at = ?, why = ?", at, why, id);
  }

  @Override
  public final List<Parked<T>> parked(int limit) {
    return rows.list(
        "SELECT * FROM %s WHERE state = 2 ORDER BY ended_at DESC, seq DESC LIMIT ?"
            .formatted(table.table()),
        row ->
            new Parked<>(
                row.getString("id"),
                Conversation.parse(row.getString("conversation")),
                item(row),
                Rows.text(row, "why").orElse(""),
                Rows.instant(row, "ended_at")),
        limit);
  }

  /// If the row was attempted before, the number of attempts stays above 0, so that the next
  /// attempt first checks whether the effect happened.
  @Override
  public boolean retry(I id) {
    var parked = idText.apply(id);
    var now = sequence.now();
    rows.first(
            "SELECT %s FROM %s WHERE id = ? AND state = 2".formatted(TURN, table.table()),
            SqlQueue::turn,
            parked)
        .ifPresent(this::touch);
    return rows.change(
            "UPDATE %s SET state = 0, tries = CASE WHEN tries > 0 THEN 1 ELSE 0 END, due_at = CASE WHEN due_at < ? THEN due_at ELSE ? END, ended_at = NULL WHERE id = ? AND state = 2"
                .formatted(table.table()),
            now,
            now,
            parked)
        == 1;
  }

  /// @return whether the row is waiting, and was changed
  final boolean change(String assignments, Object... parametersAndId) {
    return rows.change(
            "UPDATE %s SET %s WHERE id = ? AND state = 0".formatted(table.table(), assignments),
            parametersAndId)
        == 1;
  }
}
