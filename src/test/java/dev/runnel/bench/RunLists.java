package dev.runnel.bench;

import dev.runnel.database.Database;
import dev.runnel.service.AgentRunService;
import dev.runnel.service.execution.ServiceSettings;
import dev.runnel.service.store.ServiceTables;
import io.javalin.Javalin;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/// How long a page of runs takes where very many are stored, by filter, over HTTP; and what they
/// cost in memory. Argument: runs stored (100,000).
///
/// `mvn -q test-compile exec:exec@bench -Dbench=dev.runnel.bench.RunLists`
public final class RunLists {
  private static final int TIMES = 200;
  private static final List<String> QUERIES =
      List.of(
          "",
          "limit=500",
          "state=FAILED",
          "state=BLOCKED",
          "name=name-7",
          "model_id=model-3",
          "environment_id=env-2",
          "environment_id=empty-environment",
          "creator=user-5",
          "source=SLACK",
          "metadata%5Bticket%5D=T-77777",
          "metadata%5Brunnel.place%5D=github%3Aacme%2Fshop-7",
          "metadata%5Brunnel.place%5D=slack%3AT1%2FC3&sort_by=created_at&limit=50",
          "created_after=2026-01-01T00:00:50Z&sort_by=created_at&sort_order=asc",
          "updated_after=2026-01-02T03:00:00Z",
          "q=needle",
          "q=task%2099",
          "sort_by=title&sort_order=asc",
          "sort_by=agent",
          "artifact_type=PULL_REQUEST",
          "ancestor_run_id=run-20",
          "factory_uid=shop",
          "name=name-7&state=FAILED&sort_by=created_at",
          // What the console asks for; every 64th run has the word seldom.
          "sort_by=created_at&limit=50",
          "q=flaky&sort_by=created_at&limit=50&creator=user-5",
          "q=flaky&sort_by=created_at&limit=50&creator=user-5&state=BLOCKED",
          "q=seldom&sort_by=created_at&limit=50",
          "q=seldom&sort_by=created_at&limit=50&creator=user-5",
          "q=seldom&sort_by=created_at&limit=50&creator=user-5&state=BLOCKED");

  private RunLists() {}

  public static void main(String[] args) throws Exception {
    var count = args.length > 0 ? Integer.parseInt(args[0]) : 100_000;
    var folder = Files.createTempDirectory("run-lists");
    try (var database = Database.sqlite(folder.resolve("agent-runs.db"))) {
      database.migrate(ServiceTables.ON_SQLITE);
      store(database, count, Instant.parse("2026-01-01T00:00:00Z"), Duration.ofSeconds(1));
      serve(database, folder, count);
    }
  }

  private static void serve(Database database, Path folder, int count) throws Exception {
    try (var service =
        AgentRunService.open(
            database,
            ServiceSettings.of(
                folder.resolve("workspaces"),
                "key",
                () -> URI.create("http://localhost"),
                Optional.of("cat")),
            InstantSource.system())) {
      var server =
          Javalin.create(
                  config -> {
                    config.concurrency.useVirtualThreads = true;
                    config.startup.showJavalinBanner = false;
                    service.routes(config.routes);
                  })
              .start("127.0.0.1", 0);
      try (var client = HttpClient.newHttpClient()) {
        numbers(service);
        for (var query : QUERIES) {
          measure(client, server.port(), query);
        }
        System.gc();
        var used = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
        System.out.printf("heap in use with %,d runs stored: %d MiB%n", count, used >> 20);
      } finally {
        server.stop();
      }
    }
  }

  /// What the console reads first for its numbers; later it reads the days that changed.
  private static void numbers(AgentRunService service) {
    var nanos = new long[20];
    var size = 0;
    for (int i = 0; i < nanos.length; i++) {
      var start = System.nanoTime();
      size = service.numbers(Instant.EPOCH, Instant.now()).size();
      nanos[i] = System.nanoTime() - start;
    }
    Arrays.sort(nanos);
    System.out.printf(
        Locale.ROOT, "%7.2f ms median %13d runs  numbers%n", nanos[nanos.length / 2] / 1e6, size);
  }

  private static void measure(HttpClient client, int port, String query) throws Exception {
    var request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + port + "/api/v1/agent/runs?" + query))
            .header("Authorization", "Bearer key")
            .timeout(Duration.ofSeconds(30))
            .build();
    var nanos = new long[TIMES];
    var size = 0;
    for (int i = 0; i < TIMES; i++) {
      var start = System.nanoTime();
      var answer = client.send(request, BodyHandlers.ofString());
      nanos[i] = System.nanoTime() - start;
      if (answer.statusCode() != 200) {
        throw new IllegalStateException(query + " " + answer.body());
      }
      size = answer.body().split("\"task_id\"", -1).length - 1;
    }
    Arrays.sort(nanos);
    System.out.printf(
        Locale.ROOT,
        "%7.2f ms median %7.2f ms p95 %4d runs  %s%n",
        nanos[TIMES / 2] / 1e6,
        nanos[TIMES * 95 / 100] / 1e6,
        size,
        query);
  }

  /// @param start when the first run was created
  /// @param apart the time between two
  static void store(Database database, int count, Instant start, Duration apart) {
    var random = new Random(7);
    var states = List.of("SUCCEEDED", "SUCCEEDED", "SUCCEEDED", "FAILED", "CANCELLED", "ERROR");
    for (int from = 0; from < count; from += 1_000) {
      var first = from;
      database.write(
          rows -> {
            for (int i = first; i < Math.min(first + 1_000, count); i++) {
              var at = start.plus(apart.multipliedBy(i));
              rows.change(
                  """
                  INSERT INTO runs (id, state, title, prompt, source, created_at, updated_at,
                    queued_at, config, config_name, model_id, environment_id, skill_spec, metadata,
                    artifacts, conversation_id, parent_run_id, creator_uid, factory_uid)
                  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                  """,
                  "run-" + i,
                  i % 5_000 == 0 ? "BLOCKED" : states.get(random.nextInt(states.size())),
                  "task " + i + (i == 41 ? " needle" : ""),
                  "Fix the flaky test number "
                      + i
                      + ". ".repeat(random.nextInt(3_000))
                      + (random.nextInt(64) == 0 ? "seldom" : ""),
                  i % 3 == 0 ? "SLACK" : "API",
                  at,
                  at.plusSeconds(random.nextInt(10_000)),
                  at,
                  "{\"name\":\"name-" + i % 50 + "\"}",
                  "name-" + i % 50,
                  "model-" + i % 7,
                  i % 4 == 0 ? null : "env-" + i % 4,
                  i % 10 == 0 ? "o/r:skill-" + i % 30 : null,
                  "{\"ticket\":\"T-" + i + "\"}",
                  i % 6 == 0
                      ? "[{\"artifact_type\":\"PULL_REQUEST\",\"data\":{\"url\":\"https://g/"
                          + i
                          + "\"}}]"
                      : null,
                  "run-" + i,
                  i % 20 == 1 ? "run-" + (i - 1) / 10 * 10 : null,
                  "user-" + i % 40,
                  i % 1_000 == 0 ? "shop" : null);
              rows.change(
                  "INSERT INTO run_metadata (run_id, name, value) VALUES (?, ?, ?)",
                  "run-" + i,
                  "ticket",
                  "T-" + i);
              rows.change(
                  "INSERT INTO run_metadata (run_id, name, value) VALUES (?, ?, ?)",
                  "run-" + i,
                  "runnel.place",
                  place(i));
            }
            return Map.of();
          });
    }
  }

  /// The place of the run with that number.
  static String place(int number) {
    return number % 3 == 0 ? "slack:T1/C" + number % 20 : "github:acme/shop-" + number % 100;
  }
}
