package dev.runnel.store;

import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.port.Store;
import dev.runnel.database.Like;
import dev.runnel.database.Rows;
import dev.runnel.store.row.Statements;
import dev.runnel.store.row.StoredJson;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Schedules in the table `schedules`.
final class SqlSchedules implements Store.Schedules {
  private static final Logger log = LoggerFactory.getLogger(SqlSchedules.class);

  private final Statements rows;

  SqlSchedules(Statements rows) {
    this.rows = rows;
  }

  @Override
  public void add(Schedule schedule) {
    rows.change(
        "INSERT INTO schedules (id, conversation, body, next_at) VALUES (?, ?, ?, ?)",
        schedule.id(),
        schedule.template().conversation().id(),
        StoredJson.write(schedule),
        schedule.next().orElse(null));
  }

  @Override
  public List<Schedule> of(SurfaceId surface) {
    return rows
        .list(
            "SELECT * FROM schedules WHERE conversation LIKE ? ESCAPE '!'",
            SqlSchedules::read,
            Like.prefix(surface + ":"))
        .stream()
        .flatMap(Optional::stream)
        .sorted(Comparator.comparing((Schedule each) -> each.template().arrivedAt()))
        .toList();
  }

  @Override
  public Optional<Schedule> due(Instant now) {
    return rows
        .list(
            "SELECT * FROM schedules WHERE next_at <= ? ORDER BY next_at", SqlSchedules::read, now)
        .stream()
        .flatMap(Optional::stream)
        .findFirst();
  }

  @Override
  public boolean advance(String id, Instant planned, Optional<Instant> next) {
    var changed =
        next.isPresent()
            ? rows.change(
                "UPDATE schedules SET next_at = ? WHERE id = ? AND next_at = ?",
                next.get(),
                id,
                planned)
            : rows.change("DELETE FROM schedules WHERE id = ? AND next_at = ?", id, planned);
    return changed == 1;
  }

  @Override
  public void setNext(String id, Optional<Instant> next) {
    rows.change("UPDATE schedules SET next_at = ? WHERE id = ?", next.orElse(null), id);
  }

  @Override
  public void remove(String id) {
    rows.change("DELETE FROM schedules WHERE id = ?", id);
  }

  /// Empty for a row of a newer version, which waits for a node that can read it.
  private static Optional<Schedule> read(ResultSet row) throws SQLException {
    var id = row.getString("id");
    var next =
        row.getString("next_at") == null
            ? Optional.<Instant>empty()
            : Optional.of(Rows.instant(row, "next_at"));
    try {
      var kept = StoredJson.read(row.getString("body"), Schedule.class);
      return Optional.of(new Schedule(id, kept.template(), kept.timing(), kept.zone(), next));
    } catch (StoredJson.Unreadable e) {
      log.warn("schedule cannot be read schedule={} why={}", id, e.getMessage());
      return Optional.empty();
    }
  }
}
