package dev.runnel.store;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.port.Store;
import dev.runnel.database.Database;
import dev.runnel.database.DatabaseException;
import dev.runnel.database.Rows;
import dev.runnel.database.Schema;
import dev.runnel.memory.Price;
import dev.runnel.store.SqlWork.Touched;
import dev.runnel.store.row.QueueTable;
import dev.runnel.store.row.RowSequence;
import dev.runnel.store.row.Statements;
import dev.runnel.threads.SupervisedThread;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The store in SQL, on SQLite or PostgreSQL. Deliveries share transactions: see [GroupCommit].
/// Lookups of bindings by run use a cache that is filled on reading; entries are invalidated after
/// a commit.
public final class SqlStore implements Store, AutoCloseable {
  private static final int CACHED_CONVERSATIONS = 20_000;

  /// In memory: bindings contain texts of people and agents.
  private static final int CACHED_BYTES = 16 * 1024 * 1024;

  private static final Duration CACHED_FOR = Duration.ofSeconds(10);

  /// Maximum time that a node may miss another node's write. Shorter than the overlap of the
  /// watcher's polls, so that it does not miss a change.
  private static final Duration CACHED_WITH_OTHER_NODES = Duration.ofSeconds(1);

  /// The tables of the bot.
  public static final Schema SCHEMA = new Schema("db/bot", 51);

  /// Larger than the free space inside a full database.
  private static final String PROBE = "probe ".repeat(4_000);

  private static final int LOOKUP_THREADS = 8;

  /// Beyond it senders are refused at once rather than answered too late.
  private static final int MAX_WAITING_LOOKUPS = 2_000;

  private final Database database;
  private final InstantSource clock;
  private final RowSequence sequence;
  private final GroupCommit groupCommit;
  private final ExecutorService lookups =
      new ThreadPoolExecutor(
          LOOKUP_THREADS,
          LOOKUP_THREADS,
          1,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(MAX_WAITING_LOOKUPS),
          SupervisedThread.virtuals("lookup"));
  private final Cache<RunId, Binding> byRun;
  private final Cache<Conversation, Boolean> withRun;
  private volatile Consumer<Set<Touched>> onTouched = _ -> {};
  private volatile @Nullable DatabaseException lastFailure;

  /// Opens the store and migrates its tables.
  public SqlStore(Database database, InstantSource clock) {
    this(database, clock, Runnable::run);
  }

  /// @param results runs what follows the commit of deliveries: all responses to their senders
  public SqlStore(Database database, InstantSource clock, Executor results) {
    this.database = database.migrate(SCHEMA);
    this.clock = clock;
    this.byRun =
        Caffeine.newBuilder()
            .maximumWeight(CACHED_BYTES)
            .weigher(
                (RunId _, Binding binding) ->
                    Math.toIntExact(Price.text(binding.toString().length())))
            .expireAfterWrite(database.isEmbedded() ? CACHED_FOR : CACHED_WITH_OTHER_NODES)
            .build();
    this.withRun =
        Caffeine.newBuilder()
            .maximumSize(CACHED_CONVERSATIONS)
            .expireAfterWrite(CACHED_FOR)
            .build();
    this.sequence = new RowSequence(clock, newest(database));
    this.groupCommit =
        new GroupCommit(
            deliveries ->
                commit(work -> deliveries.stream().map(each -> accepts(work, each)).toList(), true),
            results);
  }

  private static boolean accepts(Work work, Delivery delivery) {
    return work.inbox().offer(delivery) || work.inbox().retry(delivery.id());
  }

  private static long newest(Database database) {
    return database.read(
        rows ->
            rows.first(
                    "SELECT max(seq) FROM (SELECT max(seq) AS seq FROM inbox WHERE state = 0 UNION"
                        + " ALL SELECT max(seq) FROM outbox WHERE state = 0) AS newest",
                    row -> row.getLong(1))
                .orElse(0L));
  }

  /// When the newest waiting row was written, by its writer's clock.
  public Instant newestWaiting() {
    return Instant.EPOCH.plus(newest(database), ChronoUnit.MICROS);
  }

  @Override
  public <T> T commit(Function<Work, T> step) {
    return commit(step, false);
  }

  /// @param isAwaited whether a sender waits for it, so that it comes before the commits of steps
  private <T> T commit(Function<Work, T> step, boolean isAwaited) {
    var committed = recordingFailure(() -> inTransaction(step, isAwaited));
    byRun.invalidateAll(committed.work().bindings().changed());
    if (!committed.work().touched().isEmpty()) {
      onTouched.accept(committed.work().touched());
    }
    return committed.result();
  }

  private record Committed<T>(T result, SqlWork work) {}

  private <T> Committed<T> inTransaction(Function<Work, T> step, boolean isAwaited) {
    Database.Step<Committed<T>> transaction =
        rows -> {
          var work = new SqlWork(rows, sequence);
          var result = step.apply(work);
          work.audit().write();
          return new Committed<>(result, work);
        };
    return isAwaited ? database.writeFirst(transaction) : database.write(transaction);
  }

  /// Runs a change and records whether it failed, for [#lastFailure].
  private <T> T recordingFailure(Supplier<T> change) {
    try {
      var result = change.get();
      lastFailure = null;
      return result;
    } catch (DatabaseException e) {
      lastFailure = e;
      throw e;
    }
  }

  /// Why the last change failed; empty if it succeeded.
  Optional<DatabaseException> lastFailure() {
    return Optional.ofNullable(lastFailure);
  }

  /// Writes a row and deletes it again, to check that the disk is not full. In two commits, because
  /// a row that is deleted in the same one needs no space.
  void probe(String id) {
    var _ =
        recordingFailure(
            () -> {
              database.write(
                  rows ->
                      rows.change(
                          "INSERT INTO probes (id, body) VALUES (?, ?) ON CONFLICT (id) DO NOTHING",
                          id,
                          PROBE));
              return database.write(rows -> rows.change("DELETE FROM probes WHERE id = ?", id));
            });
  }

  @Override
  public boolean accept(Delivery delivery) {
    return groupCommit.accept(delivery);
  }

  @Override
  public CompletableFuture<Boolean> acceptLater(Delivery delivery) {
    return acceptLater(delivery, () -> {});
  }

  @Override
  public CompletableFuture<Boolean> acceptLater(Delivery delivery, Runnable released) {
    return groupCommit.acceptLater(delivery, released);
  }

  @Override
  public <T> T read(Function<Bindings, T> question) {
    return database.read(
        connection -> {
          var rows = new Statements(connection);
          var bindings = new SqlBindings(rows, new SqlPullRequests(rows), new SqlStarts(rows));
          return question.apply(new CachedBindings(bindings, byRun));
        });
  }

  @Override
  public List<Preferences.Preference> preferences(Set<String> places) {
    return database.read(rows -> new SqlPreferences(new Statements(rows)).of(places));
  }

  /// Only positive results are cached: another node may start a run.
  @Override
  public boolean mayHaveRun(Conversation conversation) {
    if (withRun.getIfPresent(conversation) != null) {
      return true;
    }
    var mayHaveRun =
        database.read(rows -> Store.mayHaveRun(new SqlWork(rows, sequence), conversation));
    if (mayHaveRun) {
      withRun.put(conversation, true);
    }
    return mayHaveRun;
  }

  @Override
  public CompletableFuture<Boolean> mayHaveRunLater(Conversation conversation) {
    if (withRun.getIfPresent(conversation) != null) {
      return CompletableFuture.completedFuture(true);
    }
    try {
      return CompletableFuture.supplyAsync(() -> mayHaveRun(conversation), lookups)
          .orTimeout(GroupCommit.TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException full) {
      return CompletableFuture.failedFuture(full);
    }
  }

  @Override
  public Map<SurfaceId, String> holds() {
    return database.read(rows -> new SqlHolds(new Statements(rows)).all());
  }

  /// Sets the listener that gets the conversations with new rows after each commit.
  void onTouched(Consumer<Set<Touched>> listener) {
    onTouched = listener;
  }

  Database database() {
    return database;
  }

  /// A conversation, and when the next of its rows that no other row delays is due.
  record NextTurn(Instant due, Turn turn) {
    private static NextTurn of(ResultSet row) throws SQLException {
      return new NextTurn(Rows.instant(row, "due_at"), SqlQueue.turn(row));
    }
  }

  /// The conversation's next turn in the queue; empty if no row waits.
  Optional<NextTurn> next(QueueTable queueTable, Conversation conversation) {
    return database.read(
        rows ->
            rows
                .list(
                    queueTable.heads("due_at, " + SqlQueue.TURN),
                    NextTurn::of,
                    conversation.id(),
                    conversation.id())
                .stream()
                .min(Comparator.comparing(NextTurn::due)));
  }

  /// The turns of the conversations with a row that is due by then, in the order of their ids.
  ///
  /// @param after only conversations with a later id; empty to begin
  List<NextTurn> nextTurns(QueueTable queueTable, Instant by, String after, int limit) {
    return database.read(rows -> rows.list(queueTable.nextTurns(), NextTurn::of, by, after, limit));
  }

  /// Gauges by their Prometheus names: waiting and parked rows, the age of the oldest waiting row,
  /// and active runs.
  public Map<String, Long> gauges() {
    return database.read(
        rows -> {
          var gauges = new TreeMap<String, Long>();
          for (var queueTable : QueueTable.values()) {
            var name = "runnel_" + queueTable.table();
            gauges.put(name + "_waiting", waiting(rows, queueTable));
            gauges.put(name + "_parked", count(rows, queueTable.table(), "state = 2"));
            gauges.put(name + "_oldest_seconds", oldest(rows, queueTable).toSeconds());
          }
          gauges.put(
              "runnel_runs_active",
              count(rows, "bindings", "active = 1") + count(rows, "bindings_aside", "active = 1"));
          return gauges;
        });
  }

  /// Rows scheduled for later, such as reminders, are not waiting yet.
  private long waiting(Rows rows, QueueTable queueTable) throws SQLException {
    return queueTable == QueueTable.OUTBOX
        ? count(
            rows,
            queueTable.table(),
            "state = 0 AND (due_at <= ? OR why IS NOT NULL)",
            clock.instant())
        : count(rows, queueTable.table(), "state = 0");
  }

  private static long count(Rows rows, String table, String where, Object... parameters)
      throws SQLException {
    return rows.first(
            "SELECT count(*) FROM %s WHERE %s".formatted(table, where),
            row -> row.getLong(1),
            parameters)
        .orElse(0L);
  }

  /// The age of the oldest waiting row, by its sequence number.
  private Duration oldest(Rows rows, QueueTable queueTable) throws SQLException {
    var now = clock.instant();
    return rows.first(
            "SELECT min(seq) AS seq FROM %s WHERE state = 0 AND %s HAVING count(*) > 0"
                .formatted(
                    queueTable.table(), queueTable == QueueTable.OUTBOX ? "aside = 0" : "1 = 1"),
            row -> Duration.between(Rows.instant(row, "seq"), now))
        .filter(Duration::isPositive)
        .orElse(Duration.ZERO);
  }

  /// Whether the database responds; throws [DatabaseException] otherwise.
  public boolean isReady() {
    var _ = read(bindings -> bindings.hasActive());
    return true;
  }

  /// Accepts no more deliveries; accepted ones are on disk.
  @Override
  public void close() {
    groupCommit.close();
    lookups.shutdownNow();
  }
}
