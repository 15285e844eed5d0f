package dev.runnel.testkit;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.port.TraceRecorder;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.database.Database;
import dev.runnel.metrics.Metrics;
import dev.runnel.store.ConversationWorkers;
import dev.runnel.store.DatabaseHealth;
import dev.runnel.store.SqlStore;
import dev.runnel.store.SteadyClock;
import dev.runnel.web.Health;
import dev.runnel.web.RequestMetrics;
import dev.runnel.web.WebhookEndpoint;
import io.javalin.Javalin;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/// A door that really listens, a store and an scheduler over a database of the test's, put together
/// as Runnel does it. A delivery's work is to be written down, in the order in which it was done.
public final class Node implements AutoCloseable {
  public final List<String> worked = new CopyOnWriteArrayList<>();
  private final Set<String> said = ConcurrentHashMap.newKeySet();
  private final Database database;
  private final SqlStore store;
  private final ConversationWorkers scheduler;
  private final WebhookEndpoint door;
  private final Javalin server;
  private final HttpClient http = HttpClient.newHttpClient();

  /// @param wall this machine's clock
  public Node(Database database, InstantSource wall) {
    this.database = database;
    var time = new SteadyClock(database.clock(wall));
    this.store = new SqlStore(database, time);
    time.notBefore(store.newestWaiting());
    var databaseHealth = new DatabaseHealth(store, time);
    this.scheduler =
        new ConversationWorkers(
            store,
            time,
            new ConversationWorkers.Steps(
                this::work,
                (_, _) -> {},
                _ -> Optional.empty(),
                now -> now.plusSeconds(900),
                _ -> {}));
    var requestMetrics = new RequestMetrics();
    var metrics = new Metrics("test", Path.of("."));
    this.door =
        new WebhookEndpoint(
            store,
            Surfaces.of(List.of(new EchoSurface())),
            wall,
            requestMetrics,
            TraceRecorder.NONE);
    var health =
        new Health(
            () -> door.problem().or(scheduler::problem).or(databaseHealth::problem),
            Optional::empty,
            metrics::scrape);
    metrics.deliveries(requestMetrics);
    metrics.queues(databaseHealth::gauges);
    this.server =
        Javalin.create(
                config -> {
                  config.startup.showJavalinBanner = false;
                  config.concurrency.useVirtualThreads = true;
                  door.routes(config.routes, Map.of("/webhooks/fake", Samples.SURFACE), _ -> true);
                  health.probes(config.routes);
                  health.metrics(config.routes);
                })
            .start("127.0.0.1", 0);
    scheduler.start();
  }

  private void work(Conversation conversation, Instant now) {
    for (var id = take(conversation, now); id.isPresent(); id = take(conversation, now)) {
      worked.add(id.get());
    }
  }

  private Optional<String> take(Conversation conversation, Instant now) {
    return store.commit(
        work ->
            work.inbox()
                .next(conversation, now)
                .map(
                    pending -> {
                      work.inbox().done(pending.item().id());
                      return pending.item().id().value();
                    }));
  }

  /// Sends it, and remembers it when it was acknowledged.
  ///
  /// @return the status
  public int says(String text) throws IOException, InterruptedException {
    var status =
        http.send(
                HttpRequest.newBuilder(uri("/webhooks/fake"))
                    .POST(BodyPublishers.ofString(text))
                    .build(),
                BodyHandlers.ofString())
            .statusCode();
    if (status == 200) {
      said.add("fake:" + text.split(" ", 2)[0]);
    }
    return status;
  }

  /// Says it until it is taken, as platforms do, and that without a pause.
  public void saysUntilTaken(String text) throws IOException, InterruptedException {
    while (says(text) != 200) {
      Thread.onSpinWait();
    }
  }

  /// The ids of what was acknowledged.
  public Set<String> said() {
    return said;
  }

  public HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return http.send(HttpRequest.newBuilder(uri(path)).build(), BodyHandlers.ofString());
  }

  /// The value of a metric; -1 where it is not there.
  public long metric(String name) throws IOException, InterruptedException {
    return get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .map(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .findFirst()
        .orElse(-1L);
  }

  public void closeTheDoor() {
    door.close();
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.port() + path);
  }

  @Override
  public void close() {
    door.close();
    scheduler.close();
    server.stop();
    store.close();
    database.close();
    http.close();
  }
}
