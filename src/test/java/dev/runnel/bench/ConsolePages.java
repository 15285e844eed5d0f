package dev.runnel.bench;

import static java.util.Objects.requireNonNull;

import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.Store;
import dev.runnel.database.Database;
import dev.runnel.service.store.ServiceTables;
import dev.runnel.store.SqlStore;
import dev.runnel.testkit.RunnelProcess;
import dev.runnel.testkit.Samples;
import java.lang.management.ManagementFactory;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// How long the console's pages take over HTTP where very many runs are stored, half of them with a
/// thread or an issue. Argument: runs stored (100,000).
///
/// The pages are asked for in turn, less often than they are kept, so that each answer is computed;
/// the numbers are kept for a minute, so their first answer is shown, too.
///
/// `mvn -q test-compile exec:exec@bench -Dbench=dev.runnel.bench.ConsolePages`
public final class ConsolePages {
  private static final int TIMES = 40;
  private static final Duration KEPT = Duration.ofMillis(1_050);
  private static final int DAYS = 30;
  private static final String TOKEN = "a-token-of-the-console";
  private static final List<String> PAGES =
      List.of(
          "/",
          "/runs",
          "/runs?state=failed",
          "/runs?state=blocked",
          "/runs?source=SLACK",
          "/runs?model=model-3",
          "/runs?who=user-5",
          "/runs?place=acme/shop-7",
          "/runs?place=slack:T1/C3&state=failed",
          "/runs?q=needle",
          "/runs?q=seldom",
          "/runs?q=flaky",
          "/runs?q=flaky&who=user-5&state=blocked",
          "/runs?q=flaky&place=acme/shop-7",
          "/runs/run-99999",
          "/numbers?days=7",
          "/numbers?days=30",
          "/numbers?days=90",
          "/attention",
          "/operation",
          "/operation/agents");

  private ConsolePages() {}

  public static void main(String[] args) throws Exception {
    var count = args.length > 0 ? Integer.parseInt(args[0]) : 100_000;
    var folder = Files.createTempDirectory("console-pages");
    var data = Files.createDirectories(folder.resolve("data"));
    var start = Instant.now().minus(Duration.ofDays(DAYS));
    var apart = Duration.ofDays(DAYS).dividedBy(count);
    try (var database = Database.sqlite(data.resolve("agent-runs.db"))) {
      database.migrate(ServiceTables.ON_SQLITE);
      RunLists.store(database, count, start, apart);
    }
    talk(data, count, start, apart);
    try (var runnel =
            RunnelProcess.start(
                folder,
                RunnelProcess.freePort(),
                Map.of("RUNNEL_AGENT_COMMAND", "cat", "RUNNEL_CONSOLE_TOKEN", TOKEN));
        var client = HttpClient.newHttpClient()) {
      measure(client, runnel);
    }
  }

  /// Threads and issues of every second run, and the starts of all.
  private static void talk(Path data, int count, Instant start, Duration apart) {
    try (var database = Database.sqlite(data.resolve("runnel.db"));
        var store = new SqlStore(database, InstantSource.system())) {
      for (int from = 0; from < count; from += 1_000) {
        var first = from;
        store.change(
            work -> {
              for (int i = first; i < Math.min(first + 1_000, count); i++) {
                store(work, i, start.plus(apart.multipliedBy(i)));
              }
            });
      }
    }
  }

  private static void store(Store.Work work, int i, Instant at) {
    var place = RunLists.place(i);
    var conversation = Conversation.parse(place + (place.startsWith("slack:") ? "/" + i : "#" + i));
    var delivery = new DeliveryId(conversation.surface() + ":" + i);
    work.starts()
        .add(new Store.Starts.Start(delivery, "slack:U" + i % 200, place, "env-" + i % 4, at));
    if (i % 2 == 0) {
      work.bindings()
          .save(
              Samples.binding(
                  conversation,
                  new Run(
                      new RunId("run-" + i),
                      "task " + i,
                      RunState.SUCCEEDED,
                      "SUCCEEDED",
                      Optional.of("It is done."),
                      false,
                      false,
                      Optional.empty(),
                      List.of(),
                      Optional.of("0.42"),
                      Optional.of(Duration.ofMinutes(2)),
                      Optional.of(at),
                      Optional.of(delivery),
                      Optional.empty(),
                      Optional.empty(),
                      Optional.empty(),
                      List.of(),
                      Optional.empty(),
                      Optional.empty()),
                  new Actor("U" + i % 200, "person " + i % 200),
                  Request.of("task " + i),
                  Origin.NONE,
                  Optional.empty(),
                  at,
                  false,
                  0));
    }
  }

  private static void measure(HttpClient client, RunnelProcess runnel) throws Exception {
    Map<String, long[]> nanos = new LinkedHashMap<>();
    PAGES.forEach(page -> nanos.put(page, new long[TIMES]));
    for (int round = 0; round < TIMES; round++) {
      var begin = System.nanoTime();
      for (var page : PAGES) {
        requireNonNull(nanos.get(page))[round] = get(client, runnel, page);
      }
      var left = KEPT.toMillis() - (System.nanoTime() - begin) / 1_000_000;
      if (left > 0) {
        Thread.sleep(left);
      }
    }
    System.out.printf(
        Locale.ROOT,
        "%d processors, load %.1f at the end%n",
        Runtime.getRuntime().availableProcessors(),
        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    nanos.forEach(
        (page, all) -> {
          var first = all[0];
          Arrays.sort(all);
          System.out.printf(
              Locale.ROOT,
              "%8.1f ms median %8.1f ms p95 %8.1f ms first  %s%n",
              all[TIMES / 2] / 1e6,
              all[TIMES * 95 / 100] / 1e6,
              first / 1e6,
              page);
        });
  }

  private static long get(HttpClient client, RunnelProcess runnel, String page) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(runnel.url() + page))
            .header("Authorization", "Bearer " + TOKEN)
            .timeout(Duration.ofMinutes(1))
            .build();
    var start = System.nanoTime();
    var answer = client.send(request, BodyHandlers.ofString());
    var took = System.nanoTime() - start;
    if (answer.statusCode() != 200) {
      throw new IllegalStateException(page + " " + answer.statusCode() + " " + answer.body());
    }
    return took;
  }
}
