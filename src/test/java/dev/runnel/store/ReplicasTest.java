package dev.runnel.store;

import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.run;
import static dev.runnel.testkit.Samples.say;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunState;
import dev.runnel.database.Database;
import dev.runnel.testkit.Postgres;
import dev.runnel.testkit.Samples;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Several nodes on one PostgreSQL.
@Tag("slow")
@Timeout(60)
class ReplicasTest {
  private static final ConversationWorkers.Pace QUICK =
      new ConversationWorkers.Pace(
          Duration.ofMillis(100),
          Duration.ofMillis(200),
          Duration.ofMillis(500),
          Duration.ofMillis(300));

  private final List<AutoCloseable> open = new CopyOnWriteArrayList<>();
  private final List<String> worked = new CopyOnWriteArrayList<>();
  private final AtomicInteger looks = new AtomicInteger();

  @AfterEach
  void close() throws Exception {
    for (var each : open.reversed()) {
      each.close();
    }
  }

  private SqlStore store(String url, InstantSource wall) {
    var database = Database.postgres(url);
    open.add(database);
    var store = new SqlStore(database, new SteadyClock(database.clock(wall)));
    open.add(store);
    return store;
  }

  private SqlStore store(String url) {
    return store(url, InstantSource.system());
  }

  private ConversationWorkers scheduler(
      SqlStore store, InstantSource wall, ConversationWorkers.Steps.Step dispatch) {
    var conversationScheduler =
        new ConversationWorkers(
            store,
            new SteadyClock(store.database().clock(wall)),
            new ConversationWorkers.Steps(
                dispatch,
                (_, _) -> {},
                now -> {
                  looks.incrementAndGet();
                  return Optional.of(now.plusMillis(400));
                },
                now -> now.plusSeconds(900),
                _ -> {}),
            QUICK);
    open.add(conversationScheduler);
    conversationScheduler.start();
    return conversationScheduler;
  }

  private ConversationWorkers.Steps.Step working(SqlStore store) {
    return (conversation, now) -> work(store, conversation, now);
  }

  private void work(SqlStore store, Conversation conversation, Instant now) {
    store
        .<Optional<String>>commit(
            work ->
                work.inbox()
                    .next(conversation, now)
                    .map(
                        pending -> {
                          work.inbox().done(pending.item().id());
                          return pending.item().id().value();
                        }))
        .ifPresent(worked::add);
  }

  @Test
  void theRunsAreWatchedOnceAnIntervalOverAllNodes() throws Exception {
    var url = Postgres.freshDatabase();
    var one = store(url);
    scheduler(one, InstantSource.system(), working(one));
    var two = store(url);
    scheduler(two, InstantSource.system(), working(two));
    one.change(
        work -> {
          var _ =
              work.bindings()
                  .save(
                      Samples.binding(
                          THREAD,
                          run("r1", RunState.RUNNING),
                          Samples.DANA,
                          Request.of("a"),
                          Origin.NONE,
                          Optional.empty(),
                          Samples.NINE,
                          false,
                          0));
        });
    await().until(() -> looks.get() >= 1);
    long before = System.nanoTime();
    int first = looks.get();
    await().until(() -> looks.get() >= first + 6);

    // Two that look on their own would have done it in half of that.
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThan(Duration.ofMillis(1800));
  }

  @Test
  void anotherNodeTakesOverTheWorkOfALostNode() throws Exception {
    var url = Postgres.freshDatabase();
    var dying = store(url);
    var isIn = new CountDownLatch(1);
    var never = new CountDownLatch(1);
    scheduler(
        dying,
        InstantSource.system(),
        (_, _) -> {
          isIn.countDown();
          try {
            never.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    dying.accept(delivery("1", say("a")));
    isIn.await();
    // From now on it writes no heartbeat, and hands nothing back.
    dying.database().close();

    var other = store(url);
    scheduler(other, InstantSource.system(), working(other));
    await().atMost(Duration.ofSeconds(60)).until(() -> worked.contains("fake:1"));
    never.countDown();
  }

  @Test
  void nodesWithDifferentClocksDoNotDeclareEachOtherDead() throws Exception {
    var url = Postgres.freshDatabase();
    InstantSource anHourAhead = () -> Instant.now().plus(Duration.ofHours(1));
    var one = store(url);
    var steps = new AtomicInteger();
    var mayEnd = new CountDownLatch(1);
    ConversationWorkers.Steps.Step slow =
        (_, _) -> {
          steps.incrementAndGet();
          try {
            mayEnd.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        };
    scheduler(one, InstantSource.system(), slow);
    one.accept(delivery("1", say("a")));
    await().until(() -> steps.get() == 1);
    var two = store(url, anHourAhead);
    scheduler(two, anHourAhead, slow);

    // Many heartbeats of the other one: it works on another conversation meanwhile.
    two.accept(delivery("2", say("a"), Samples.OTHER_THREAD));
    await().until(() -> steps.get() == 2);
    await()
        .during(Duration.ofSeconds(2))
        .atMost(Duration.ofSeconds(60))
        .until(() -> steps.get() == 2);
    mayEnd.countDown();
  }

  @Test
  void nodesThatStartTogetherOnAnEmptyDatabaseBothStart() throws Exception {
    var url = Postgres.freshDatabase();
    try (var starting = Executors.newVirtualThreadPerTaskExecutor()) {
      Callable<SqlStore> start = () -> store(url);
      for (var started : starting.invokeAll(List.of(start, start, start))) {
        assertThat(started.get().isReady()).isTrue();
      }
    }
  }

  @Test
  void hangingStepDoesNotDelayTheShutdownAndContinuesElsewhere() throws Exception {
    var url = Postgres.freshDatabase();
    var store = store(url);
    var isIn = new CountDownLatch(1);
    var end = new CountDownLatch(1);
    var conversationScheduler =
        scheduler(
            store,
            InstantSource.system(),
            (_, _) -> {
              isIn.countDown();
              while (end.getCount() > 0) {
                try {
                  end.await();
                } catch (InterruptedException deaf) {
                  // As a library that swallows it.
                }
              }
            });
    store.accept(delivery("1", say("a")));
    isIn.await();
    long before = System.nanoTime();
    conversationScheduler.close();

    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(5));
    var other = store(url);
    scheduler(other, InstantSource.system(), working(other));
    await().atMost(Duration.ofSeconds(60)).until(() -> worked.contains("fake:1"));
    end.countDown();
  }
}
