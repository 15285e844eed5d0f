package dev.runnel.store;

import dev.runnel.core.port.Store;
import dev.runnel.database.Rows;
import dev.runnel.store.row.Statements;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// Limits in the table `limits`, and reserved times in `turns`. Rows are written only during and
/// soon after a pause; otherwise a reservation costs one read.
final class SqlRateLimits implements Store.Limits {
  /// Interval between two reserved times: Slack's limit for posts in a channel, and about GitHub's.
  private static final Duration SPACING = Duration.ofSeconds(1);

  /// Time after the last reserved one during which the limit still applies, so that not all waiting
  /// users return at once.
  private static final Duration COOL_DOWN = Duration.ofMinutes(1);

  private record Limit(Instant heldUntil, Instant nextTurn) {}

  private final Statements rows;

  SqlRateLimits(Statements rows) {
    this.rows = rows;
  }

  @Override
  public Instant reserve(String limit, String holder, Instant now) {
    var found = limit(limit);
    if (found.isEmpty()) {
      return now;
    }
    var reserved = reserved(limit, holder);
    if (reserved.isPresent() && !reserved.get().isBefore(found.get().heldUntil())) {
      if (reserved.get().isAfter(now)) {
        return reserved.get();
      }
      deleteReservation(limit, holder);
      return now;
    }
    if (!found.get().nextTurn().plus(COOL_DOWN).isAfter(now)) {
      delete(limit);
      return now;
    }
    return next(limit, holder, now);
  }

  /// Reserves the next time. The update comes first, because it blocks other nodes until the
  /// commit.
  private Instant next(String limit, String holder, Instant now) {
    rows.change(
        "UPDATE limits SET next_turn = CASE WHEN next_turn > ? THEN next_turn ELSE ? END + ?"
            + " WHERE name = ?",
        now,
        now,
        SPACING.toNanos() / 1_000,
        limit);
    var at = limit(limit).map(Limit::nextTurn).orElse(now).minus(SPACING);
    if (at.isAfter(now)) {
      rows.change(
          "INSERT INTO turns (name, holder, at) VALUES (?, ?, ?) ON CONFLICT (name, holder)"
              + " DO UPDATE SET at = excluded.at",
          limit,
          holder,
          at);
    }
    return at;
  }

  @Override
  public void hold(String limit, Instant until) {
    rows.change(
        "INSERT INTO limits (name, held_until, next_turn) VALUES (?, ?, ?) ON CONFLICT"
            + " (name) DO UPDATE SET held_until = CASE WHEN limits.held_until >"
            + " excluded.held_until THEN limits.held_until ELSE excluded.held_until END,"
            + " next_turn = CASE WHEN limits.next_turn > excluded.next_turn THEN"
            + " limits.next_turn ELSE excluded.next_turn END",
        limit,
        until,
        until);
  }

  private record Pause(String limit, Instant until) {}

  @Override
  public Map<String, Instant> paused(Instant now) {
    return rows
        .list(
            "SELECT name, held_until FROM limits WHERE held_until > ?",
            row -> new Pause(row.getString("name"), Rows.instant(row, "held_until")),
            now)
        .stream()
        .collect(Collectors.toMap(Pause::limit, Pause::until));
  }

  private Optional<Limit> limit(String limit) {
    return rows.first(
        "SELECT held_until, next_turn FROM limits WHERE name = ?",
        row -> new Limit(Rows.instant(row, "held_until"), Rows.instant(row, "next_turn")),
        limit);
  }

  private Optional<Instant> reserved(String limit, String holder) {
    return rows.first(
        "SELECT at FROM turns WHERE name = ? AND holder = ?",
        row -> Rows.instant(row, "at"),
        limit,
        holder);
  }

  private void deleteReservation(String limit, String holder) {
    rows.change("DELETE FROM turns WHERE name = ? AND holder = ?", limit, holder);
  }

  /// Deletes the limit, because the pause is over and no holder waits for a reserved time.
  private void delete(String limit) {
    rows.change("DELETE FROM turns WHERE name = ?", limit);
    rows.change("DELETE FROM limits WHERE name = ?", limit);
  }
}
