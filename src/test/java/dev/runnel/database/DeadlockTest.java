package dev.runnel.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.testkit.Postgres;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Two nodes keep the same rows in opposite order at the same moment, as when a burst of duplicates
/// comes to both.
@Tag("slow")
@Timeout(60)
class DeadlockTest {
  @Test
  void transactionAbortedByADeadlockIsRepeated() throws Exception {
    try (var database = Database.postgres(Postgres.freshDatabase());
        var nodes = Executors.newVirtualThreadPerTaskExecutor()) {
      database.write(rows -> rows.change("CREATE TABLE t (a TEXT PRIMARY KEY)"));
      var bothHaveOne = new CountDownLatch(2);

      var one = nodes.submit(() -> keep(database, "x", "y", bothHaveOne));
      var other = nodes.submit(() -> keep(database, "y", "x", bothHaveOne));

      assertThat(one.get() + other.get()).as("rows that were new").isEqualTo(2);
    }
  }

  private static int keep(
      Database database, String first, String second, CountDownLatch bothHaveOne) {
    return database.write(
        rows -> {
          var kept = rows.change("INSERT INTO t VALUES (?) ON CONFLICT DO NOTHING", first);
          bothHaveOne.countDown();
          try {
            var _ = bothHaveOne.await(10, TimeUnit.SECONDS);
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          return kept + rows.change("INSERT INTO t VALUES (?) ON CONFLICT DO NOTHING", second);
        });
  }
}
