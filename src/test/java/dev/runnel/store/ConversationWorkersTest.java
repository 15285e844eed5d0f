package dev.runnel.store;

import static dev.runnel.testkit.Samples.OTHER_THREAD;
import static dev.runnel.testkit.Samples.SAM;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.cancel;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.port.Store.Starts.Start;
import dev.runnel.database.Database;
import dev.runnel.database.Rows;
import dev.runnel.store.audit.AuditLog;
import dev.runnel.testkit.Postgres;
import dev.runnel.testkit.Samples;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class ConversationWorkersTest {
  private final InstantSource clock = InstantSource.system();
  private final List<String> worked = new CopyOnWriteArrayList<>();
  private final ConcurrentHashMap<Conversation, AtomicInteger> inside = new ConcurrentHashMap<>();
  private final List<AutoCloseable> open = new CopyOnWriteArrayList<>();
  private final AtomicInteger overlaps = new AtomicInteger();

  @TempDir Path folder;

  abstract class Contract {
    abstract Database database() throws SQLException;

    @Test
    void conversationIsProcessedInOrderByOneWorkerAtATime() throws Exception {
      var store = store(database());
      start(store, (conversation, now) -> workThrough(store, conversation, now));
      for (int i = 0; i < 40; i++) {
        store.accept(delivery("a" + i, say("x"), THREAD));
        store.accept(delivery("b" + i, say("x"), OTHER_THREAD));
      }

      await().atMost(Duration.ofSeconds(60)).until(() -> worked.size() == 80);
      assertThat(overlaps).hasValue(0);
      assertThat(worked.stream().filter(each -> each.startsWith("fake:a")))
          .containsExactlyElementsOf(IntStream.range(0, 40).mapToObj(i -> "fake:a" + i).toList());
    }

    @Test
    void rowAddedDuringAStepOfItsConversationIsProcessed() throws Exception {
      var store = store(database());
      var stepIsIn = new CountDownLatch(1);
      var rowIsIn = new CountDownLatch(1);
      start(
          store,
          (conversation, now) -> {
            workThrough(store, conversation, now);
            stepIsIn.countDown();
            try {
              rowIsIn.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
      store.accept(delivery("1", say("x")));
      stepIsIn.await();
      store.accept(delivery("2", say("x")));
      rowIsIn.countDown();

      await().atMost(Duration.ofSeconds(60)).until(() -> worked.size() == 2);
    }

    @Test
    void rowsOfAnEarlierProcessAreProcessed() throws Exception {
      var store = store(database());
      store.accept(delivery("1", say("x")));
      start(store, (conversation, now) -> workThrough(store, conversation, now));

      await().atMost(Duration.ofSeconds(60)).until(() -> worked.size() == 1);
    }

    /// Each row comes while the step before it ends, where the row for later is looked up.
    @Test
    void postponedRowDelaysNoLaterOne() throws Exception {
      var store = store(database());
      store.accept(delivery("later", say("x")));
      var due = clock.instant().plusSeconds(1_800);
      store.change(work -> work.inbox().postpone(new DeliveryId("fake:later"), due, "busy"));
      start(store, (conversation, now) -> workThrough(store, conversation, now));

      for (int i = 1; i <= 300; i++) {
        var count = i;
        store.accept(delivery("now" + i, cancel()));
        await()
            .atMost(Duration.ofSeconds(60))
            .pollDelay(Duration.ZERO)
            .pollInterval(Duration.ofMillis(1))
            .until(() -> worked.size() == count);
      }
    }

    @Test
    void workThatWaitsForAServiceResumesWhenItReturns() throws Exception {
      var store = store(database());
      var due = clock.instant().plusSeconds(1_800);
      for (var each :
          List.of(delivery("1", say("x"), THREAD), delivery("2", say("x"), OTHER_THREAD))) {
        store.accept(each);
        store.change(work -> work.inbox().postpone(each.id(), due, "down", "runs"));
      }
      start(store, (conversation, now) -> workThrough(store, conversation, now));

      store.change(work -> work.wake("runs"));

      await().atMost(Duration.ofSeconds(60)).until(() -> worked.size() == 2);
    }

    /// An approval is given in another conversation than that of the start that waits for it.
    @Test
    void rowMadeDueByAnotherConversationIsProcessedImmediately() throws Exception {
      var store = store(database());
      store.accept(delivery("1", say("x")));
      var later = clock.instant().plusSeconds(1_800);
      store.change(work -> work.inbox().postpone(new DeliveryId("fake:1"), later, "approval"));
      start(store, (conversation, now) -> workThrough(store, conversation, now));
      store.accept(delivery("2", cancel()));
      await().atMost(Duration.ofSeconds(60)).until(() -> worked.contains("fake:2"));

      store.change(work -> work.inbox().makeDue(new DeliveryId("fake:1"), "decided"));

      await().atMost(Duration.ofSeconds(60)).until(() -> worked.contains("fake:1"));
    }

    /// As after a crash between the commit and the wake.
    @Test
    void rowWithALostWakeUpIsProcessedDespiteALaterStep() throws Exception {
      var database = database();
      var store = store(database);
      store.accept(delivery("later", say("x")));
      var later = clock.instant().plusSeconds(1_800);
      store.change(work -> work.inbox().postpone(new DeliveryId("fake:later"), later, "busy"));
      var steps = new AtomicInteger();
      start(
          store,
          SchedulerTables.of(database),
          (conversation, now) -> {
            workThrough(store, conversation, now);
            steps.incrementAndGet();
          },
          Retention.DEFAULT,
          new ConversationWorkers.Pace(
              Duration.ofSeconds(1),
              Duration.ofSeconds(2),
              Duration.ofMillis(200),
              Duration.ofSeconds(10)));
      store.accept(delivery("1", cancel()));
      await().atMost(Duration.ofSeconds(60)).until(() -> steps.get() >= 1);

      // Its commits wake nobody.
      new SqlStore(database, clock).accept(delivery("2", cancel()));

      await().atMost(Duration.ofSeconds(60)).until(() -> worked.contains("fake:2"));
      assertThat(worked).doesNotContain("fake:later");
    }

    @Test
    void firstCommandIsSteppedWhileTheBacklogOfAnotherPersonStandsStill() throws Exception {
      var store = store(database());
      for (int i = 0; i < 5_000; i++) {
        var thread = new Conversation(THREAD.surface(), "team/channel/" + i % 500);
        accepts(store, delivery("dana" + i, Samples.start("x"), thread));
      }
      var sams = new Conversation(THREAD.surface(), "team/other/1");
      accepts(store, bySam("sam", Samples.start("x"), sams));

      var others = countSlowStepsBefore(store, "fake:sam");

      assertThat(others).isLessThanOrEqualTo(FairTurns.MOST_OF_PERSON);
    }

    @Test
    void stopIsSteppedWhileAThousandStartsStandStill() throws Exception {
      var store = store(database());
      for (int i = 0; i < 1_000; i++) {
        var thread = new Conversation(THREAD.surface(), "team/channel/" + i);
        accepts(
            store,
            delivery("start" + i, Samples.start("x"), thread)
                .withActor(new Actor("U" + i, "person " + i)));
      }
      accepts(store, bySam("stop", cancel(), new Conversation(THREAD.surface(), "team/stop/1")));

      var others = countSlowStepsBefore(store, "fake:stop");

      assertThat(others).isLessThanOrEqualTo(FairTurns.MOST_OF_CLASS);
    }

    /// Lets every step stand still but that of one delivery, then all of them go on.
    ///
    /// @return number of the other steps that had begun when that one was done
    private int countSlowStepsBefore(SqlStore store, String quick) {
      var others = new AtomicInteger();
      var goOn = new CountDownLatch(1);
      start(
          store,
          (conversation, now) -> {
            if (first(store, conversation, now).filter(it -> !it.equals(quick)).isPresent()) {
              others.incrementAndGet();
              awaitUninterruptibly(goOn);
            }
            workThrough(store, conversation, now);
          });

      await().atMost(Duration.ofSeconds(60)).until(() -> worked.contains(quick));
      var before = others.get();
      goOn.countDown();
      var waiting = "SELECT count(*) FROM inbox WHERE state = 0";
      await()
          .atMost(Duration.ofMinutes(2))
          .until(() -> store.database().<Integer>read(rows -> rows.count(waiting)) == 0);
      assertThat(overlaps).hasValue(0);
      return before;
    }

    private static Optional<String> first(SqlStore store, Conversation conversation, Instant now) {
      return store.commit(
          work -> work.inbox().next(conversation, now).map(it -> it.item().id().value()));
    }

    /// As when the process, or the database, stands still for longer than heartbeats may be late.
    @Test
    void stepThatLivesIsNotTakenForDead() throws Exception {
      var database = database();
      var tasks = SchedulerTables.of(database);
      var store = store(database);
      var isIn = new CountDownLatch(1);
      var goOn = new CountDownLatch(1);
      var begun = new AtomicInteger();
      var scheduler =
          new ConversationWorkers(
              store,
              tasks,
              clock,
              new ConversationWorkers.Steps(
                  (_, _) -> {
                    begun.incrementAndGet();
                    isIn.countDown();
                    awaitUninterruptibly(goOn);
                  },
                  (_, _) -> {},
                  _ -> Optional.empty(),
                  now -> now.plusSeconds(900),
                  _ -> {}),
              new ConversationWorkers.Pace(
                  Duration.ofMillis(100),
                  Duration.ofMillis(50),
                  Duration.ofSeconds(60),
                  Duration.ofSeconds(10)),
              Retention.DEFAULT);
      open.add(scheduler);
      scheduler.start();
      accepts(store, delivery("1", say("x")));
      isIn.await();
      stopHeartbeats(tasks.database());

      // A step of a node that is gone: when it was taken over, the dead were looked for.
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> tasks.instances("post", "fake:", "fake:z").isEmpty());
      assertThat(begun).hasValue(1);
      goOn.countDown();
    }

    private void stopHeartbeats(Database tasks) {
      tasks.write(
          rows -> {
            rows.change(
                "INSERT INTO scheduled_tasks (task_name, task_instance, execution_time, picked,"
                    + " picked_by, consecutive_failures, last_heartbeat, version) SELECT 'post',"
                    + " 'fake:team/gone/1', execution_time, picked, 'gone', 0, last_heartbeat, 1"
                    + " FROM scheduled_tasks WHERE task_name = 'dispatch'");
            return stopHeartbeats(rows);
          });
    }

    abstract int stopHeartbeats(Rows rows) throws SQLException;

    @Test
    void postponedRowIsProcessedAtItsTime() throws Exception {
      var store = store(database());
      store.accept(delivery("1", say("x")));
      var due = clock.instant().plusMillis(700);
      store.change(work -> work.inbox().postpone(new DeliveryId("fake:1"), due, "busy"));
      var at = new CopyOnWriteArrayList<Instant>();
      start(
          store,
          (conversation, now) -> {
            if (workThrough(store, conversation, now)) {
              at.add(now);
            }
          });

      await().atMost(Duration.ofSeconds(60)).until(() -> at.size() == 1);
      assertThat(at.getFirst()).isBetween(due, due.plusSeconds(2));
    }
  }

  @Nested
  class OnSqlite extends Contract {
    @Override
    Database database() {
      return Database.sqlite(folder.resolve("runnel.db"));
    }

    @Override
    int stopHeartbeats(Rows rows) throws SQLException {
      return rows.change(
          "CREATE TRIGGER still BEFORE UPDATE ON scheduled_tasks WHEN OLD.picked AND NEW.picked"
              + " BEGIN SELECT RAISE(IGNORE); END");
    }
  }

  @Nested
  class OnPostgres extends Contract {
    @Override
    Database database() throws SQLException {
      return Database.postgres(Postgres.freshDatabase());
    }

    @Override
    int stopHeartbeats(Rows rows) throws SQLException {
      return rows.change(
              "CREATE FUNCTION still() RETURNS trigger AS 'BEGIN RETURN NULL; END' LANGUAGE"
                  + " plpgsql")
          + rows.change(
              "CREATE TRIGGER still BEFORE UPDATE ON scheduled_tasks FOR EACH ROW WHEN (OLD.picked"
                  + " AND NEW.picked) EXECUTE FUNCTION still()");
    }

    @Test
    void twoNodesShareTheWorkWithoutOverlap() throws Exception {
      var url = Postgres.freshDatabase();
      var one = store(Database.postgres(url));
      var two = store(Database.postgres(url));
      start(one, (conversation, now) -> workThrough(one, conversation, now));
      start(two, (conversation, now) -> workThrough(two, conversation, now));
      for (int i = 0; i < 60; i++) {
        (i % 2 == 0 ? one : two)
            .accept(
                delivery("d" + i, say("x"), new Conversation(THREAD.surface(), "t/c/" + i % 5)));
      }

      await().atMost(Duration.ofSeconds(60)).until(() -> worked.size() == 60);
      assertThat(worked).doesNotHaveDuplicates();
      assertThat(overlaps).hasValue(0);
    }
  }

  /// As after a restart under load. No sweep after the first helps.
  @Test
  void moreConversationsThanFitInMemoryAreAllProcessed() {
    var count = FairTurns.MOST_WAITING + 1_000;
    var database = Database.sqlite(folder.resolve("runnel.db"));
    var store = store(database);
    database.write(
        rows ->
            rows.change(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) INSERT"
                    + " INTO inbox (id, meaning, conversation, seq, overtakes, body, due_at)"
                    + " SELECT 'd' || i, 'm' || i, 'fake:t/c/' || i, i, 0, '{}', 1 FROM n",
                count));
    var tasks = SchedulerTables.of(database);
    var mostScheduled = new AtomicInteger();
    var steps = new AtomicInteger();
    start(
        store,
        tasks,
        (conversation, _) -> {
          if (steps.incrementAndGet() % 500 == 1) {
            var scheduled = tasks.instances("dispatch", "fake:", "fake:z").size();
            mostScheduled.accumulateAndGet(scheduled, Math::max);
          }
          database.write(
              rows ->
                  rows.change(
                      "UPDATE inbox SET state = 1 WHERE conversation = ?", conversation.id()));
        },
        Retention.DEFAULT,
        new ConversationWorkers.Pace(
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Duration.ofHours(1),
            Duration.ofSeconds(10)));

    var waiting = "SELECT count(*) FROM inbox WHERE state = 0";
    await()
        .atMost(Duration.ofMinutes(2))
        .until(() -> database.<Integer>read(rows -> rows.count(waiting)) == 0);
    assertThat(mostScheduled).hasValueLessThanOrEqualTo(FairTurns.MOST);
  }

  /// A run that ended may be continued elsewhere.
  @Test
  void watcherIsWokenOccasionallyEvenWithoutActiveRuns() {
    var store = store(Database.sqlite(folder.resolve("runnel.db")));
    var looks = new AtomicInteger();
    var scheduler =
        new ConversationWorkers(
            store,
            clock,
            new ConversationWorkers.Steps(
                (_, _) -> {},
                (_, _) -> {},
                _ -> {
                  looks.incrementAndGet();
                  return Optional.empty();
                },
                now -> now.plusSeconds(900),
                _ -> {}),
            new ConversationWorkers.Pace(
                Duration.ofMillis(100),
                Duration.ofSeconds(2),
                Duration.ofMillis(300),
                Duration.ofSeconds(2)));
    open.add(scheduler);
    scheduler.start();

    await().atMost(Duration.ofSeconds(60)).until(() -> looks.get() > 1);
  }

  @Test
  void expiredRowsAreDeleted() {
    var store = store(Database.sqlite(folder.resolve("runnel.db")));
    var now = clock.instant();
    for (var kind : List.of("ended", "parked")) {
      for (int days : List.of(2, 4, 6)) {
        var delivery = delivery(kind + days, say("work"));
        assertThat(store.accept(delivery)).isTrue();
        int _ =
            store
                .database()
                .write(
                    rows ->
                        rows.change(
                            "UPDATE inbox SET state = ?, ended_at = ? WHERE id = ?",
                            kind.equals("ended") ? 1 : 2,
                            now.minus(Duration.ofDays(days)),
                            delivery.id().value()));
      }
    }
    for (int days : List.of(8, 6)) {
      new AuditLog(store.database())
          .add(
              AuditEntry.of(
                  now.minus(Duration.ofDays(days)),
                  AuditEntry.Person.RUNNEL,
                  AuditEntry.Verb.END,
                  "a run"));
    }
    // The newest start of a person is kept for the rules.
    for (int days : List.of(41, 39, 1)) {
      store.change(
          work ->
              work.starts()
                  .add(
                      new Start(
                          new DeliveryId("fake:" + days),
                          "fake:U1",
                          "fake:team/channel",
                          "",
                          now.minus(Duration.ofDays(days)))));
    }

    var retention =
        new Retention(
            Duration.ofDays(40),
            Duration.ofDays(40),
            Duration.ofDays(3),
            Duration.ofDays(5),
            Duration.ofDays(7));
    start(store, SchedulerTables.of(store.database()), (_, _) -> {}, retention);

    await()
        .untilAsserted(
            () -> {
              assertThat(ids(store, "SELECT id FROM inbox"))
                  .containsExactlyInAnyOrder("fake:ended2", "fake:parked2", "fake:parked4");
              assertThat(ids(store, "SELECT seq FROM audit")).containsExactly("2");
              assertThat(ids(store, "SELECT delivery FROM starts"))
                  .containsExactlyInAnyOrder("fake:39", "fake:1");
            });
  }

  private static List<String> ids(SqlStore store, String sql) {
    return store.database().read(rows -> rows.list(sql, row -> row.getString(1)));
  }

  @Test
  void tasksOfAnOlderVersionAreDeleted() {
    var database = Database.sqlite(folder.resolve("runnel.db"));
    var store = store(database);
    store.accept(delivery("1", say("x")));
    database.write(
        rows ->
            rows.change(
                "INSERT INTO scheduled_tasks (task_name, task_instance, execution_time, picked,"
                    + " version) VALUES ('dispatch', ?, CURRENT_TIMESTAMP, 1, 1)",
                THREAD.id()));

    start(store, (conversation, now) -> workThrough(store, conversation, now));

    await().atMost(Duration.ofSeconds(60)).until(() -> worked.size() == 1);
    int left =
        database
            .read(rows -> rows.first("SELECT count(*) FROM scheduled_tasks", row -> row.getInt(1)))
            .orElseThrow();
    assertThat(left).isZero();
  }

  /// As when another thread inserts the watch and finishes it, both within one insertion.
  @Test
  void watchInsertionIsRepeatedIfAConcurrentWatchHasEnded() {
    var store = store(Database.sqlite(folder.resolve("runnel.db")));
    var tasks = SchedulerTables.of(store.database());
    tasks
        .database()
        .write(
            rows -> {
              rows.change("CREATE TABLE lost (inserts INTEGER NOT NULL)");
              rows.change("INSERT INTO lost (inserts) VALUES (0)");
              return rows.change(
                  "CREATE TRIGGER lose BEFORE INSERT ON scheduled_tasks WHEN NEW.task_name ="
                      + " 'watch' AND (SELECT inserts FROM lost) = 0 BEGIN UPDATE lost SET inserts"
                      + " = 1; SELECT RAISE(FAIL, 'UNIQUE constraint failed'); END");
            });

    start(store, tasks, (_, _) -> {});

    int lost =
        tasks
            .database()
            .write(rows -> rows.first("SELECT inserts FROM lost", row -> row.getInt(1)))
            .orElseThrow();
    assertThat(lost).isOne();
  }

  @AfterEach
  void close() throws Exception {
    for (var each : open.reversed()) {
      each.close();
    }
  }

  private static void accepts(SqlStore store, Delivery delivery) {
    assertThat(store.accept(delivery)).isTrue();
  }

  private static Delivery bySam(String id, Intent intent, Conversation conversation) {
    return delivery(id, intent, conversation).withActor(SAM);
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private SqlStore store(Database database) {
    var store = new SqlStore(database, clock);
    open.add(database);
    open.add(store);
    return store;
  }

  private void start(SqlStore store, ConversationWorkers.Steps.Step dispatch) {
    start(store, SchedulerTables.of(store.database()), dispatch);
  }

  private void start(
      SqlStore store, SchedulerTables tasks, ConversationWorkers.Steps.Step dispatch) {
    start(store, tasks, dispatch, Retention.DEFAULT);
  }

  private void start(
      SqlStore store,
      SchedulerTables tasks,
      ConversationWorkers.Steps.Step dispatch,
      Retention retention) {
    start(store, tasks, dispatch, retention, ConversationWorkers.Pace.DEFAULT);
  }

  private void start(
      SqlStore store,
      SchedulerTables tasks,
      ConversationWorkers.Steps.Step dispatch,
      Retention retention,
      ConversationWorkers.Pace pace) {
    var scheduler =
        new ConversationWorkers(
            store,
            tasks,
            clock,
            new ConversationWorkers.Steps(
                dispatch,
                (_, _) -> {},
                _ -> Optional.empty(),
                now -> now.plusSeconds(900),
                _ -> {}),
            pace,
            retention);
    open.add(scheduler);
    scheduler.start();
  }

  private boolean workThrough(SqlStore store, Conversation conversation, Instant now) {
    var within = inside.computeIfAbsent(conversation, _ -> new AtomicInteger());
    if (within.incrementAndGet() > 1) {
      overlaps.incrementAndGet();
    }
    var any = false;
    while (true) {
      var next =
          store.<Optional<String>>commit(
              work ->
                  work.inbox()
                      .next(conversation, now)
                      .map(
                          pending -> {
                            work.inbox().done(pending.item().id());
                            return pending.item().id().value();
                          }));
      if (next.isEmpty()) {
        break;
      }
      worked.add(next.get());
      any = true;
    }
    within.decrementAndGet();
    return any;
  }
}
