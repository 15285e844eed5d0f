package dev.runnel.bench;

import dev.runnel.database.Database;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.NodeIdentity;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.run.TranscriptLine;
import dev.runnel.service.run.Usage;
import dev.runnel.service.store.ExecutionRecords.NewOutput;
import dev.runnel.service.store.NodeMembership;
import dev.runnel.service.store.ServiceTables;
import dev.runnel.service.store.SlotLimits;
import dev.runnel.service.store.TranscriptRows.Entry;
import dev.runnel.testkit.Postgres;
import dev.runnel.testkit.RunChanges;
import java.nio.file.Files;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/// How many runs a second the rows of the service take, without agents: each is created, claimed,
/// begun, launched, heard of ten times, and finished. On SQLite, and on PostgreSQL with one to
/// three nodes of four workers each. Argument: the number of runs.
///
/// `mvn -q test-compile exec:exec@bench -Dbench=dev.runnel.bench.ClaimedRuns`
public final class ClaimedRuns {
  private static final int WORKERS = 4;
  private static final int REPORTS = 10;

  private ClaimedRuns() {}

  public static void main(String[] args) throws Exception {
    var runs = args.length > 0 ? Integer.parseInt(args[0]) : 400;
    var folder = Files.createTempDirectory("claimed-runs");
    System.out.printf("%-22s %12s %12s%n", "", "created/s", "done/s");
    try (var sqlite = ServiceTables.migrate(Database.sqlite(folder.resolve("runs.db")))) {
      var alone = NodeMembership.alone(sqlite, InstantSource.system(), WORKERS);
      measure("SQLite", List.of(service(sqlite, alone)), runs);
    }
    for (int nodes = 1; nodes <= 3; nodes++) {
      var url = Postgres.freshDatabase();
      var databases = new ArrayList<Database>();
      var services = new ArrayList<RunChanges>();
      for (int i = 0; i < nodes; i++) {
        var database = ServiceTables.migrate(Database.postgres(url, ServiceTables.SCHEMA));
        databases.add(database);
        var name = "node" + i;
        var membership =
            NodeMembership.join(
                database,
                database.clock(InstantSource.system()),
                new NodeIdentity(name, name, name),
                WORKERS,
                Duration.ofHours(1));
        services.add(service(database, membership));
      }
      measure("PostgreSQL, " + nodes + " nodes", services, runs);
      databases.forEach(Database::close);
    }
  }

  private static RunChanges service(Database database, NodeMembership membership) {
    return RunChanges.on(
        database, database.clock(InstantSource.system()), membership, SlotLimits.NONE);
  }

  private static void measure(String name, List<RunChanges> nodes, int runs) throws Exception {
    var start = System.nanoTime();
    for (int i = 0; i < runs; i++) {
      var asked = NewRun.parse(ServiceJson.newObject().put("prompt", "task " + i));
      nodes
          .get(i % nodes.size())
          .runs()
          .create(asked, Caller.MAIN, Optional.empty(), Optional.empty());
    }
    var created = System.nanoTime();
    var done = new AtomicInteger();
    var threads = new ArrayList<Thread>();
    for (var node : nodes) {
      for (int i = 0; i < WORKERS; i++) {
        threads.add(Thread.ofVirtual().start(() -> work(node, done)));
      }
    }
    for (var thread : threads) {
      thread.join();
    }
    var end = System.nanoTime();
    if (done.get() != runs) {
      throw new IllegalStateException("Done: " + done.get());
    }
    System.out.printf(
        Locale.ROOT,
        "%-22s %12.0f %12.0f%n",
        name,
        runs * 1e9 / (created - start),
        runs * 1e9 / (end - created));
  }

  private static void work(RunChanges node, AtomicInteger done) {
    for (var next = node.records().claimNext(0);
        next.isPresent();
        next = node.records().claimNext(0)) {
      var execution = next.get();
      node.records().begin(execution);
      node.records().launched(execution, 1, Optional.empty(), false);
      for (int i = 0; i < REPORTS; i++) {
        node.records()
            .recordOutput(
                execution,
                new NewOutput(
                    List.of(new Entry(TranscriptLine.Kind.SAID, "line " + i)),
                    Optional.empty(),
                    List.of(),
                    Optional.empty(),
                    Usage.NONE));
      }
      var _ = node.records().finish(execution.claim(), ExecutionResult.succeeded("done"));
      done.incrementAndGet();
    }
  }
}
