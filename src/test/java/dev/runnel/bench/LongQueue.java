package dev.runnel.bench;

import dev.runnel.database.Database;
import dev.runnel.service.run.NodeIdentity;
import dev.runnel.service.store.NodeMembership;
import dev.runnel.service.store.ServiceTables;
import dev.runnel.service.store.SlotLimits;
import dev.runnel.testkit.Postgres;
import dev.runnel.testkit.RunChanges;
import java.nio.file.Files;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Locale;

/// How long a claim takes while many runs wait, of some people, with as many runs that were done
/// within the last day. Arguments: the number of runs that wait, and of people.
///
/// `mvn -q test-compile exec:exec@bench -Dbench=dev.runnel.bench.LongQueue`
public final class LongQueue {
  private static final int WARM = 20;
  private static final int CLAIMS = 100;
  private static final int BATCH = 5_000;

  private LongQueue() {}

  public static void main(String[] args) throws Exception {
    var runs = args.length > 0 ? Integer.parseInt(args[0]) : 100_000;
    var people = args.length > 1 ? Integer.parseInt(args[1]) : 100;
    var folder = Files.createTempDirectory("long-queue");
    System.out.printf(
        "%-12s %8s %8s %9s %9s %9s%n", "", "waiting", "people", "least ms", "median", "p95");
    try (var sqlite = ServiceTables.migrate(Database.sqlite(folder.resolve("runs.db")))) {
      fill(sqlite, runs, people);
      measure("SQLite", sqlite, runs, people);
    }
    try (var postgres =
        ServiceTables.migrate(Database.postgres(Postgres.freshDatabase(), ServiceTables.SCHEMA))) {
      fill(postgres, runs, people);
      measure("PostgreSQL", postgres, runs, people);
    }
  }

  private static void fill(Database database, int runs, int people) {
    var now = database.clock(InstantSource.system()).instant();
    var micros = now.getEpochSecond() * 1_000_000;
    for (int i = 0; i < 2 * runs; i += BATCH) {
      var from = i;
      var to = Math.min(2 * runs, from + BATCH) - 1;
      database.write(
          rows ->
              rows.change(
                  """
                  WITH RECURSIVE numbers (n) AS (
                    SELECT %1$d UNION ALL SELECT n + 1 FROM numbers WHERE n < %2$d)
                  INSERT INTO runs (id, state, created_at, updated_at, queued_at, started_at, prompt,
                    title, source, conversation_id, request, creator, creator_uid, executor,
                    executor_uid, depth, mode, root_run_id)
                  SELECT 'run-' || n, CASE WHEN n < %3$d THEN 'QUEUED' ELSE 'SUCCEEDED' END,
                    %4$d + n, %4$d + n, %4$d + n, CASE WHEN n < %3$d THEN NULL ELSE %4$d + n END,
                    'task', 'task', 'API', 'run-' || n, '{}',
                    '{"type":"user","uid":"person' || (n %% %5$d) || '"}',
                    'person' || (n %% %5$d), '{}', 'main', 0, 'normal', 'run-' || n
                  FROM numbers
                  """
                      .formatted(from, to, runs, micros, people)));
    }
    database.write(rows -> rows.change("ANALYZE"));
  }

  private static void measure(String name, Database database, int runs, int people) {
    var clock = database.clock(InstantSource.system());
    var membership =
        NodeMembership.join(
            database, clock, new NodeIdentity("node", "node", "node"), 4, Duration.ofHours(1));
    var records = RunChanges.on(database, clock, membership, SlotLimits.NONE).records();
    var times = new long[CLAIMS];
    for (int i = -WARM; i < CLAIMS; i++) {
      var start = System.nanoTime();
      if (records.claimNext(0).isEmpty()) {
        throw new IllegalStateException("Nothing claimed");
      }
      if (i >= 0) {
        times[i] = System.nanoTime() - start;
      }
    }
    Arrays.sort(times);
    System.out.printf(
        Locale.ROOT,
        "%-12s %8d %8d %9.1f %9.1f %9.1f%n",
        name,
        runs,
        people,
        times[0] / 1e6,
        times[CLAIMS / 2] / 1e6,
        times[CLAIMS * 95 / 100] / 1e6);
  }
}
