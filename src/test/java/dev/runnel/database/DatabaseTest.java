package dev.runnel.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.runnel.testkit.Postgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabaseTest {
  @TempDir Path folder;

  @Test
  void connectionErrorDoesNotRevealPasswords() {
    var url = "jdbc:postgresql://u:open-sesame@localhost:1/runnel?password=open-sesame";

    assertThatThrownBy(() -> Database.postgres(url))
        .isInstanceOf(DatabaseException.class)
        .hasNoCause()
        .hasMessageNotContaining("open-sesame");
  }

  @Test
  void sqliteFileUsesWalAndFullSynchronization() {
    try (var database = Database.sqlite(folder.resolve("sub/test.db"))) {
      assertThat(pragma(database, "journal_mode")).isEqualTo("wal");
      assertThat(
              database.<String>write(
                  rows -> rows.first("PRAGMA synchronous", row -> row.getString(1)).orElseThrow()))
          .isEqualTo("2");
    }
  }

  @Test
  void priorityWriteDoesNotWaitForAllWaitingWrites() throws Exception {
    var order = new CopyOnWriteArrayList<String>();
    var isHeld = new CountDownLatch(1);
    var goOn = new CountDownLatch(1);
    try (var database = Database.sqlite(folder.resolve("test.db"));
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var _ =
          threads.submit(
              () ->
                  database.write(
                      _ -> {
                        isHeld.countDown();
                        awaitUninterruptibly(goOn);
                        return 0;
                      }));
      isHeld.await();
      for (int i = 0; i < 20; i++) {
        var _ = threads.submit(() -> database.write(_ -> order.add("later")));
      }
      await().until(() -> waiting(database) == 20);
      var _ = threads.submit(() -> database.writeFirst(_ -> order.add("first")));
      await().until(() -> waiting(database) == 21);
      goOn.countDown();
    }

    assertThat(order).hasSize(21);
    assertThat(order.indexOf("first")).isLessThan(10);
  }

  @Test
  void patientWorkOutlastsAStallThatFailsOthers() throws Exception {
    var isHeld = new CountDownLatch(1);
    var goOn = new CountDownLatch(1);
    var done = new CopyOnWriteArrayList<String>();
    try (var database = Database.sqliteAt(folder.resolve("test.db"), Duration.ofMillis(250));
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var _ =
          threads.submit(
              () ->
                  database.write(
                      _ -> {
                        isHeld.countDown();
                        awaitUninterruptibly(goOn);
                        return 0;
                      }));
      isHeld.await();
      // More than may wait for the connection itself.
      for (int i = 0; i < 5; i++) {
        var _ =
            threads.submit(
                () -> database.patiently(() -> database.write(_ -> done.add("patient"))));
      }
      await().until(() -> waiting(database) >= 5);

      for (int i = 0; i < 3; i++) {
        var failure =
            catchThrowableOfType(
                DatabaseException.class, () -> database.write(_ -> done.add("impatient")));
        assertThat(failure.isUnreachable()).isTrue();
      }
      goOn.countDown();
    }

    assertThat(done).hasSize(5).containsOnly("patient");
  }

  @Test
  @Tag("slow")
  void patientWorkIsRepeatedAfterItsConnectionIsLost() {
    try (var database = Database.postgres(Postgres.fresh())) {
      var tries = new AtomicInteger();

      database.patiently(
          () -> {
            database.write(rows -> rows.change("CREATE TABLE t (a INTEGER)"));
            database.write(
                rows -> {
                  rows.change("INSERT INTO t VALUES (?)", tries.incrementAndGet());
                  return tries.get() > 1 || endConnection(rows);
                });
            database.read(rows -> tries.incrementAndGet() > 3 || endConnection(rows));
          });

      assertThat(tries).hasValue(4);
      assertThat(
              database.<List<Integer>>read(
                  rows -> rows.list("SELECT a FROM t", row -> row.getInt(1))))
          .containsExactly(2);
    }
  }

  private static boolean endConnection(Rows rows) throws SQLException {
    return rows.list("SELECT pg_terminate_backend(pg_backend_pid())", _ -> true).getFirst();
  }

  private static int waiting(Database database) {
    return database.connections().values().iterator().next().waiting();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aNewFileAndItsLogsAreTheirOwnersAlone() throws IOException {
    try (var database = Database.sqlite(folder.resolve("sub/test.db"))) {
      database.write(rows -> rows.change("CREATE TABLE t (a INTEGER)"));

      assertThat(permissions("sub")).isEqualTo("rwx------");
      assertThat(permissions("sub/test.db")).isEqualTo("rw-------");
      assertThat(permissions("sub/test.db-wal")).isEqualTo("rw-------");
      assertThat(permissions("sub/test.db-shm")).isEqualTo("rw-------");
    }
  }

  @Test
  void aFileThatOthersCouldReadIsClosedToThemWithItsLogs() throws IOException {
    var copy = folder.resolve("copy.db");
    try (var database = Database.sqlite(folder.resolve("test.db"))) {
      database.write(rows -> rows.change("CREATE TABLE t (a INTEGER)"));
      // As a process leaves it that was killed.
      Files.copy(folder.resolve("test.db"), copy);
      Files.copy(folder.resolve("test.db-wal"), folder.resolve("copy.db-wal"));
    }
    for (var name : List.of("copy.db", "copy.db-wal")) {
      Files.setPosixFilePermissions(
          folder.resolve(name), PosixFilePermissions.fromString("rw-r--r--"));
    }
    try (var database = Database.sqlite(copy)) {
      database.read(rows -> rows.list("SELECT a FROM t", row -> row.getInt(1)));

      for (var name : List.of("copy.db", "copy.db-wal", "copy.db-shm")) {
        assertThat(permissions(name)).as(name).isEqualTo("rw-------");
      }
    }
  }

  private String permissions(String name) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve(name)));
  }

  @Test
  void onlyACommitErrorLeavesTheOutcomeUnknown() {
    try (var database = Database.sqlite(folder.resolve("test.db"))) {
      database.write(rows -> rows.change("CREATE TABLE a (id INTEGER PRIMARY KEY)"));
      database.write(
          rows ->
              rows.change(
                  "CREATE TABLE b (id INTEGER REFERENCES a (id) DEFERRABLE INITIALLY DEFERRED)"));

      assertThat(failure(database, "INSERT INTO b VALUES (1)").mayBeCommitted()).isTrue();
      assertThat(failure(database, "INSERT INTO c VALUES (1)").mayBeCommitted()).isFalse();
    }
  }

  private static DatabaseException failure(Database database, String sql) {
    return catchThrowableOfType(
        DatabaseException.class, () -> database.write(rows -> rows.change(sql)));
  }

  @Test
  void failedTransactionIsRolledBack() {
    try (var database = Database.sqlite(folder.resolve("test.db"))) {
      database.write(rows -> rows.change("CREATE TABLE t (a INTEGER)"));

      assertThatThrownBy(
              () ->
                  database.write(
                      rows -> {
                        rows.change("INSERT INTO t VALUES (?)", 1);
                        throw new IllegalStateException("crash");
                      }))
          .hasMessage("crash");

      assertThat(
              database.<Integer>read(
                  rows -> rows.first("SELECT count(*) FROM t", row -> row.getInt(1)).orElseThrow()))
          .isZero();
    }
  }

  @Test
  void aStatementThatFailedCanBeRunAgain() {
    try (var database = Database.sqlite(folder.resolve("test.db"))) {
      database.write(rows -> rows.change("CREATE TABLE t (a INTEGER UNIQUE)"));
      database.write(rows -> rows.change("INSERT INTO t VALUES (?)", 1));

      assertThatThrownBy(() -> database.write(rows -> rows.change("INSERT INTO t VALUES (?)", 1)))
          .isInstanceOf(DatabaseException.class);

      database.write(rows -> rows.change("INSERT INTO t VALUES (?)", 2));
      assertThat(numbers(database)).containsExactly(1, 2);
    }
  }

  @Test
  void nestedUseOfTheSameStatementReadsAllRows() {
    try (var database = Database.sqlite(folder.resolve("test.db"))) {
      database.write(rows -> rows.change("CREATE TABLE t (a INTEGER)"));
      database.write(rows -> rows.change("INSERT INTO t VALUES (1), (2)"));

      var pairs =
          database.<List<List<Integer>>>read(
              rows ->
                  rows.list(
                      "SELECT a FROM t", _ -> rows.list("SELECT a FROM t", DatabaseTest::first)));

      assertThat(pairs).containsExactly(List.of(1, 2), List.of(1, 2));
    }
  }

  @Test
  void aReadThatEndedEarlyDoesNotHideLaterChanges() {
    try (var database = Database.sqlite(folder.resolve("test.db"))) {
      database.write(rows -> rows.change("CREATE TABLE t (a INTEGER)"));
      database.write(rows -> rows.change("INSERT INTO t VALUES (1), (2)"));
      var read = "SELECT a FROM t";
      database.read(rows -> rows.listUntil(_ -> true, read, DatabaseTest::first));

      database.write(rows -> rows.change("INSERT INTO t VALUES (3)"));

      assertThat(numbers(database)).containsExactly(1, 2, 3);
    }
  }

  @Test
  void aStatementSeesColumnsThatWereAddedAfterItWasPrepared() {
    try (var database = Database.sqlite(folder.resolve("test.db"))) {
      database.write(rows -> rows.change("CREATE TABLE t (a INTEGER)"));
      database.write(rows -> rows.change("INSERT INTO t VALUES (1)"));
      var width = "SELECT * FROM t";
      Rows.Reader<Integer> columns = row -> row.getMetaData().getColumnCount();
      assertThat(database.<Optional<Integer>>read(rows -> rows.first(width, columns))).contains(1);

      database.write(rows -> rows.change("ALTER TABLE t ADD COLUMN b INTEGER"));

      assertThat(database.<Optional<Integer>>read(rows -> rows.first(width, columns))).contains(2);
    }
  }

  @Test
  void aThousandStatementsCanBeRun() {
    try (var database = Database.sqlite(folder.resolve("test.db"))) {
      for (int i = 0; i < 1_000; i++) {
        var sql = "SELECT " + i;
        assertThat(database.<Optional<Integer>>read(rows -> rows.first(sql, DatabaseTest::first)))
            .contains(i);
      }
    }
  }

  private static List<Integer> numbers(Database database) {
    return database.read(rows -> rows.list("SELECT a FROM t", DatabaseTest::first));
  }

  private static Integer first(ResultSet row) throws SQLException {
    return row.getInt(1);
  }

  private static String pragma(Database database, String name) {
    return database.read(
        rows -> rows.first("PRAGMA " + name, row -> row.getString(1)).orElseThrow());
  }
}
