package dev.runnel.store;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.RunId;
import dev.runnel.core.port.Store;
import dev.runnel.database.Database;
import dev.runnel.database.Rows;
import dev.runnel.store.SqlWork.Touched;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;

/// The store in SQL, on SQLite or PostgreSQL.
///
/// Deliveries share transactions: see [Acceptance]. Lookups of bindings by run go through a cache
/// that is filled on reading and dropped after a commit.
public final class SqlStore implements Store, AutoCloseable {
  private static final int CACHED_BINDINGS = 20_000;

  /// Bounds how long a node may overlook what another one wrote.
  private static final Duration CACHED_FOR = Duration.ofSeconds(10);

  private final Database database;
  private final Sequence sequence;
  private final Acceptance acceptance;
  private final Cache<RunId, Binding> byRun =
      Caffeine.newBuilder().maximumSize(CACHED_BINDINGS).expireAfterWrite(CACHED_FOR).build();
  private volatile Consumer<Set<Touched>> onTouched = _ -> {};

  /// Opens the store and brings its tables up to date.
  public SqlStore(Database database, InstantSource clock) {
    this.database = database.migrate("db/bot");
    this.sequence = new Sequence(clock);
    this.acceptance =
        new Acceptance(
            deliveries -> commit(work -> deliveries.stream().map(work.inbox()::offer).toList()));
  }

  @Override
  public <T> T commit(Function<Work, T> step) {
    var committed =
        database.write(
            rows -> {
              var work = new SqlWork(rows, sequence);
              return new Committed<>(step.apply(work), work);
            });
    byRun.invalidateAll(committed.work().bindings().changed());
    if (!committed.work().touched().isEmpty()) {
      onTouched.accept(committed.work().touched());
    }
    return committed.result();
  }

  private record Committed<T>(T result, SqlWork work) {}

  @Override
  public boolean accept(Delivery delivery) {
    return acceptance.accept(delivery);
  }

  @Override
  public <T> T read(Function<Bindings, T> question) {
    return database.read(rows -> question.apply(new CachedBindings(new SqlBindings(rows), byRun)));
  }

  /// Is told, after each commit, where rows came.
  void onTouched(Consumer<Set<Touched>> listener) {
    onTouched = listener;
  }

  Database database() {
    return database;
  }

  /// When the lane's next row of the conversation is due.
  Optional<Instant> due(Lane lane, Conversation conversation) {
    return database.read(
        rows -> {
          var work = new SqlWork(rows, sequence);
          return switch (lane) {
            case INBOX -> work.inbox().due(conversation);
            case OUTBOX -> work.outbox().due(conversation);
          };
        });
  }

  /// Conversations with waiting rows that no instance of the lane's task looks after.
  List<Conversation> forgotten(Lane lane) {
    return database.read(
        rows ->
            rows.list(
                "SELECT DISTINCT conversation FROM %s WHERE state = 0 AND NOT EXISTS (SELECT 1 FROM scheduled_tasks WHERE task_name = ? AND task_instance = conversation)"
                    .formatted(lane.table()),
                row -> Conversation.parse(row.getString("conversation")),
                lane.task()));
  }

  /// Drops rows that ended before; they were kept to know what is said twice.
  int forget(Instant before) {
    return database.write(
        rows ->
            rows.change("DELETE FROM inbox WHERE state = 1 AND ended_at < ?", before)
                + rows.change("DELETE FROM outbox WHERE state = 1 AND ended_at < ?", before));
  }

  /// How much waits, is parked and is watched, by Prometheus names.
  public Map<String, Long> gauges() {
    return database.read(
        rows -> {
          var gauges = new TreeMap<String, Long>();
          for (var lane : Lane.values()) {
            gauges.put(
                "runnel_" + lane.table() + "_waiting", count(rows, lane.table(), "state = 0"));
            gauges.put(
                "runnel_" + lane.table() + "_parked", count(rows, lane.table(), "state = 2"));
          }
          gauges.put("runnel_runs_active", count(rows, "bindings", "active = 1"));
          return gauges;
        });
  }

  private static long count(Rows rows, String table, String where) throws SQLException {
    return rows.first(
            "SELECT count(*) FROM %s WHERE %s".formatted(table, where), row -> row.getLong(1))
        .orElse(0L);
  }

  /// Whether the database answers; throws what is wrong otherwise.
  public boolean isReady() {
    return read(bindings -> bindings.countActive() >= 0);
  }

  /// Takes no more deliveries; those taken are on disk.
  @Override
  public void close() {
    acceptance.close();
  }
}
