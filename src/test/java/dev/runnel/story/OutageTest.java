package dev.runnel.story;

import static dev.runnel.testkit.Samples.SURFACE;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.database.Database;
import dev.runnel.store.SqlStore;
import dev.runnel.testkit.Node;
import dev.runnel.testkit.OwnPostgres;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The database fails under a node that listens: senders hear in time that they must send again,
/// whoever looks after the node sees why, and it goes on by itself.
@Tag("slow")
@Timeout(120)
class OutageTest {
  private static final Duration SLACKS_PATIENCE = Duration.ofSeconds(3);

  @TempDir Path folder;

  @Test
  void fullDiskIsReportedAndWorkResumesWhenThereIsSpace() throws Exception {
    // The driver takes it for every connection to the file, as a disk would.
    var database = Database.sqlite(folder.resolve("runnel.db?max_page_count=105"));
    try (var node = new Node(database, InstantSource.system())) {
      var count = 0;
      while (node.says("b" + count + " " + "x".repeat(20_000)) == 200) {
        count++;
      }

      assertThat(node.get("/readyz"))
          .satisfies(answer -> assertThat(answer.statusCode()).isEqualTo(503))
          .satisfies(
              answer -> assertThat(answer.body()).isEqualTo("The disk of the database is full.\n"));
      assertThat(node.metric("runnel_store_up")).isZero();
      assertThat(node.metric("runnel_deliveries_not_stored_total")).isPositive();

      roomFor(database);
      assertThat(node.get("/readyz").statusCode()).isEqualTo(200);
      assertThat(node.says("b" + count + " again")).isEqualTo(200);
      assertThat(node.metric("runnel_store_up")).isOne();
      await().until(() -> node.worked.size() == node.said().size());
      assertThat(node.worked).containsExactlyInAnyOrderElementsOf(node.said());
    }
  }

  private static void roomFor(Database database) {
    database.<Optional<Long>>write(
        rows -> rows.first("PRAGMA max_page_count = 1000000", row -> row.getLong(1)));
  }

  @Test
  void stoppedDatabaseIsReportedAndWorkResumesAfterItsRestart() throws Exception {
    try (var server = new OwnPostgres(folder.resolve("postgres"));
        var node = new Node(Database.postgres(server.url()), InstantSource.system())) {
      assertThat(node.says("a1")).isEqualTo(200);
      server.stop();

      refusesInTime(node, "a2");
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () ->
                  assertThat(node.get("/readyz").body())
                      .isEqualTo("The database cannot be reached.\n"));
      answersWhileTheDatabaseDoesNot(node);

      server.start();
      goesOn(node, "a2");
    }
  }

  @Test
  void hangingDatabaseIsReportedAndWorkResumesWhenItAnswers() throws Exception {
    try (var server = new OwnPostgres(folder.resolve("postgres"));
        var node = new Node(Database.postgres(server.url()), InstantSource.system())) {
      assertThat(node.says("a1")).isEqualTo(200);
      server.hang();

      refusesInTime(node, "a2");
      refusesInTime(node, "a3");
      assertThat(node.get("/readyz").body()).startsWith("The database is slow");
      answersWhileTheDatabaseDoesNot(node);

      server.goOn();
      goesOn(node, "a2");
    }
  }

  @Test
  void brokenDatabaseConnectionsAreReplaced() throws Exception {
    try (var server = new OwnPostgres(folder.resolve("postgres"));
        var node = new Node(Database.postgres(server.url()), InstantSource.system())) {
      for (int i = 0; i < 5; i++) {
        server.killConnections();
        node.saysUntilTaken("a" + i);
      }

      goesOn(node, "a5");
    }
  }

  @Test
  void clockSetBackAnHourDelaysNothing() throws Exception {
    var back = new AtomicReference<>(Duration.ZERO);
    InstantSource wall = () -> Instant.now().minus(back.get());
    var file = folder.resolve("runnel.db");
    try (var node = new Node(Database.sqlite(file), wall)) {
      assertThat(node.says("a1")).isEqualTo(200);
      await().until(() -> node.worked.size() == 1);
      back.set(Duration.ofHours(1));
      for (int i = 2; i < 6; i++) {
        assertThat(node.says("a" + i)).isEqualTo(200);
      }

      await().atMost(Duration.ofSeconds(60)).until(() -> node.worked.size() == 5);
      assertThat(node.worked).isSorted().containsAll(node.said());
      assertThat(node.metric("runnel_inbox_oldest_seconds")).isZero();
    }
  }

  @Test
  void clockSetBackWhileStoppedDelaysNothing() throws Exception {
    var database = Database.sqlite(folder.resolve("runnel.db"));
    var store = new SqlStore(database, InstantSource.system());
    store.accept(delivery("a1", say("a"), new Conversation(SURFACE, "team/channel/a")));
    store.change(
        work ->
            work.inbox()
                .postpone(new DeliveryId("fake:a1"), Instant.now().plusSeconds(1), "was busy"));
    store.close();
    database.close();
    InstantSource anHourBack = () -> Instant.now().minus(Duration.ofHours(1));

    try (var node = new Node(Database.sqlite(folder.resolve("runnel.db")), anHourBack)) {
      assertThat(node.says("a2")).isEqualTo(200);
      await().atMost(Duration.ofSeconds(60)).until(() -> node.worked.size() == 2);
      assertThat(node.worked).isSorted();
    }
  }

  @Test
  void shutdownRefusesDeliveriesAndReportsNotReady() throws Exception {
    try (var node =
        new Node(Database.sqlite(folder.resolve("runnel.db")), InstantSource.system())) {
      node.closeTheDoor();

      assertThat(node.says("a1")).isEqualTo(503);
      assertThat(node.get("/readyz").body()).isEqualTo("Runnel is shutting down.\n");
      assertThat(node.get("/readyz").statusCode()).isEqualTo(503);
      assertThat(node.get("/healthz").statusCode()).isEqualTo(200);
    }
  }

  private static void refusesInTime(Node node, String text) throws Exception {
    long before = System.nanoTime();
    assertThat(node.says(text)).isEqualTo(503);
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(SLACKS_PATIENCE);
  }

  private static void answersWhileTheDatabaseDoesNot(Node node) throws Exception {
    long before = System.nanoTime();
    assertThat(node.get("/readyz").statusCode()).isEqualTo(503);
    assertThat(node.metric("runnel_store_up")).isZero();
    assertThat(node.metric("runnel_deliveries_not_stored_total")).isPositive();
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(5));
  }

  /// What was acknowledged was worked on, each once, in its order.
  private static void goesOn(Node node, String text) throws Exception {
    await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(100))
        .until(() -> node.get("/readyz").statusCode() == 200);
    node.saysUntilTaken(text);
    await().atMost(Duration.ofSeconds(60)).until(() -> node.metric("runnel_inbox_waiting") == 0);
    assertThat(node.metric("runnel_store_up")).isOne();
    assertThat(node.worked).doesNotHaveDuplicates().isSorted().containsAll(node.said());
  }
}
