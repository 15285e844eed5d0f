package dev.runnel.store;

import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.port.Store;
import dev.runnel.database.Rows;
import dev.runnel.store.row.Statements;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Starts in the table `starts`, and whether they are frozen in the one row of `start_freeze`.
final class SqlStarts implements Store.Starts {
  private final Statements rows;

  SqlStarts(Statements rows) {
    this.rows = rows;
  }

  /// A changed row stays locked until the commit.
  @Override
  public void lock() {
    rows.change("UPDATE start_freeze SET turn = turn + 1 WHERE name = 'starts'");
  }

  @Override
  public void add(Start start) {
    rows.change(
        "INSERT INTO starts (delivery, person, place, environment, at, seconds, micros)"
            + " VALUES (?, ?, ?, ?, ?, 0, 0) ON CONFLICT (delivery) DO NOTHING",
        start.delivery().value(),
        start.person(),
        start.place(),
        start.environment(),
        start.at());
  }

  @Override
  public Optional<Start> find(DeliveryId delivery) {
    return rows.first(
        "SELECT * FROM starts WHERE delivery = ?",
        row ->
            new Start(
                delivery,
                row.getString("person"),
                row.getString("place"),
                row.getString("environment"),
                Rows.instant(row, "at")),
        delivery.value());
  }

  @Override
  public void remove(DeliveryId delivery) {
    rows.change("DELETE FROM starts WHERE delivery = ? AND run IS NULL", delivery.value());
  }

  @Override
  public boolean isFirst(String person) {
    return rows.first("SELECT 1 FROM starts WHERE person = ?", row -> row.getInt(1), person)
        .isEmpty();
  }

  @Override
  public Sum sum(
      Optional<String> person,
      Optional<String> place,
      Optional<String> environment,
      Instant since) {
    var conditions = new StringBuilder("at > ?");
    var parameters = new ArrayList<Object>(List.of(since));
    condition("person", person, conditions, parameters);
    condition("place", place, conditions, parameters);
    condition("environment", environment, conditions, parameters);
    return rows.first(
            "SELECT COUNT(*) AS runs, COALESCE(SUM(seconds), 0) AS seconds,"
                + " COALESCE(SUM(micros), 0) AS micros, COALESCE(SUM(CASE WHEN micros = 0"
                + " THEN seconds ELSE 0 END), 0) AS unpriced, MIN(at) AS oldest FROM starts"
                + " WHERE "
                + conditions,
            row -> {
              var runs = row.getLong("runs");
              return new Sum(
                  runs,
                  Duration.ofSeconds(row.getLong("seconds")),
                  row.getLong("micros"),
                  Duration.ofSeconds(row.getLong("unpriced")),
                  runs == 0 ? Optional.empty() : Optional.of(Rows.instant(row, "oldest")));
            },
            parameters.toArray())
        .orElseThrow();
  }

  private static void condition(
      String column, Optional<String> value, StringBuilder conditions, List<Object> parameters) {
    value.ifPresent(
        it -> {
          conditions.append(" AND ").append(column).append(" = ?");
          parameters.add(it);
        });
  }

  /// Stores the usage of a start's run so far.
  void saveUsage(Run run) {
    run.delivery()
        .ifPresent(
            delivery ->
                saveUsage(
                    delivery,
                    run.id().value(),
                    run.runTime().orElse(Duration.ZERO),
                    run.costMicros()));
  }

  @Override
  public void saveUsage(DeliveryId delivery, String run, Duration time, long micros) {
    rows.change(
        "UPDATE starts SET run = ?, seconds = ?, micros = ? WHERE delivery = ?",
        run,
        time.toSeconds(),
        micros,
        delivery.value());
  }

  @Override
  public Optional<Freeze> freeze() {
    return rows.first(
        "SELECT * FROM start_freeze WHERE name = 'starts' AND since IS NOT NULL",
        row ->
            new Freeze(
                new Actor(row.getString("freezer"), row.getString("frozen_by")),
                Optional.ofNullable(row.getString("reason")),
                Rows.instant(row, "since")));
  }

  @Override
  public void freeze(Freeze freeze) {
    rows.change(
        "UPDATE start_freeze SET since = ?, freezer = ?, frozen_by = ?, reason = ? WHERE"
            + " name = 'starts'",
        freeze.since(),
        freeze.by().id(),
        freeze.by().name(),
        freeze.reason().orElse(null));
  }

  @Override
  public boolean unfreeze() {
    return rows.change(
            "UPDATE start_freeze SET since = NULL, freezer = NULL, frozen_by = NULL, reason"
                + " = NULL WHERE name = 'starts' AND since IS NOT NULL")
        == 1;
  }
}
