package dev.runnel.bench;

import dev.runnel.database.Database;
import dev.runnel.service.AgentRunService;
import dev.runnel.service.execution.ServiceSettings;
import io.javalin.Javalin;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;

/// What a long queue costs while four slots work on it: memory, threads and open files, for 200
/// runs and then for 2000. Arguments: the lengths of the queues.
///
/// `mvn -q test-compile exec:exec@bench -Dbench=dev.runnel.bench.QueuedRuns`
public final class QueuedRuns {
  private static final Duration PAUSE = Duration.ofMillis(200);

  private final HttpClient client;
  private final URI api;
  private final Path folder;

  private QueuedRuns(HttpClient client, URI api, Path folder) {
    this.client = client;
    this.api = api;
    this.folder = folder;
  }

  public static void main(String[] args) throws Exception {
    var lengths = args.length > 0 ? args : new String[] {"200", "2000"};
    var folder = Files.createTempDirectory("queued-runs");
    // They wait for a file, so that the whole queue is there before it gets shorter.
    var command = "until [ -e %s ]; do sleep 0.05; done; cat".formatted(folder.resolve("go"));
    try (var database = Database.sqlite(folder.resolve("agent-runs.db"));
        var service =
            AgentRunService.open(
                database,
                ServiceSettings.of(
                    folder.resolve("workspaces"),
                    "key",
                    () -> URI.create("http://localhost"),
                    Optional.of(command)),
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
        var api = URI.create("http://127.0.0.1:" + server.port() + "/api/v1/agent/");
        var bench = new QueuedRuns(client, api, folder);
        System.out.printf("%-28s %9s %9s %6s%n", "", "heap KiB", "threads", "files");
        bench.fill(20);
        sample("warm, nothing queued");
        for (var length : lengths) {
          bench.fill(Integer.parseInt(length));
        }
      } finally {
        server.stop();
      }
    }
  }

  private void fill(int count) throws Exception {
    Files.deleteIfExists(folder.resolve("go"));
    for (int i = 0; i < count; i++) {
      send(
          "runs",
          HttpRequest.newBuilder()
              .POST(BodyPublishers.ofString("{\"prompt\": \"say " + i + "\"}")));
    }
    sample(count + " queued");
    var start = System.nanoTime();
    Files.writeString(folder.resolve("go"), "");
    var sampled = false;
    var most = 0;
    while (left()) {
      most = Math.max(most, files());
      if (!sampled && System.nanoTime() - start > Duration.ofSeconds(1).toNanos()) {
        sampled = true;
        sample(count + " queued, at work");
      }
      Thread.sleep(PAUSE);
    }
    var seconds = (System.nanoTime() - start) / 1e9;
    sample(count + " done");
    System.out.printf(
        Locale.ROOT, "  %.1f runs a second, at most %d files open%n", count / seconds, most);
  }

  private boolean left() throws IOException, InterruptedException {
    return !send("runs?limit=1&state=QUEUED&state=INPROGRESS", HttpRequest.newBuilder())
        .contains("\"runs\":[]");
  }

  private String send(String path, HttpRequest.Builder request)
      throws IOException, InterruptedException {
    var answer =
        client.send(
            request.uri(api.resolve(path)).header("Authorization", "Bearer key").build(),
            BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new IllegalStateException(path + " " + answer.body());
    }
    return answer.body();
  }

  private static void sample(String when) throws IOException {
    System.gc();
    System.gc();
    var heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    System.out.printf(
        "%-28s %9d %9d %6d%n",
        when, heap >> 10, ManagementFactory.getThreadMXBean().getThreadCount(), files());
  }

  private static int files() throws IOException {
    try (var files = Files.list(Path.of("/proc/self/fd"))) {
      return (int) files.count();
    }
  }
}
