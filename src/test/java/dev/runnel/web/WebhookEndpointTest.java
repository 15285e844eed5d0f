package dev.runnel.web;

import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.Reply;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Surface;
import dev.runnel.core.port.TraceRecorder;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.database.Database;
import dev.runnel.memory.MemoryBudget;
import dev.runnel.metrics.Metrics;
import dev.runnel.store.SqlStore;
import dev.runnel.testkit.MigratedFile;
import dev.runnel.testkit.Samples;
import io.javalin.Javalin;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WebhookEndpointTest {
  private static final SurfaceId TERSE = new SurfaceId("terse");

  /// Says a body is a delivery by its text, unless the text is `noise` or `forged`.
  private record EchoSurface(SurfaceId id, int maxBodyBytes) implements Surface {

    @Override
    public WebhookResult receive(RawRequest request) {
      var text = new String(request.body(), StandardCharsets.UTF_8);
      return switch (text) {
        case "noise" -> new WebhookResult.Answered(Reply.text(200, "heard"));
        case "forged" -> new WebhookResult.Rejected(Reply.text(401, "no"), "bad signature");
        default ->
            new WebhookResult.Accepted(
                delivery(text.substring(0, Math.min(text.length(), 100)), say(text)),
                Reply.json(200, "{\"ok\":true}"));
      };
    }

    @Override
    public Posting post(Notice notice, @Nullable PostRef status) {
      return new Posting.Undeliverable("nowhere");
    }
  }

  private static final int MAX_BYTES = 5 * 1024 * 1024;

  @TempDir Path folder;
  private final HttpClient http = HttpClient.newHttpClient();
  private Database database;
  private SqlStore store;
  private WebServer server;
  private volatile boolean diskIsFull;

  @BeforeEach
  void open() {
    database = MigratedFile.open(folder.resolve("runnel.db"), SqlStore.SCHEMA);
    store = new SqlStore(database, InstantSource.system());
    var requestMetrics = new RequestMetrics();
    var metrics = new Metrics("test", folder);
    var door =
        new WebhookEndpoint(
            new FullableStore(),
            Surfaces.of(
                List.of(
                    new EchoSurface(Samples.SURFACE, MAX_BYTES), new EchoSurface(TERSE, 1_000))),
            InstantSource.system(),
            requestMetrics,
            TraceRecorder.NONE);
    var health =
        new Health(
            () -> diskIsFull ? Optional.of("the disk is full") : Optional.empty(),
            Optional::empty,
            metrics::scrape);
    metrics.deliveries(requestMetrics);
    metrics.queues(store::gauges);
    server =
        WebServer.start(
            "127.0.0.1",
            0,
            WebLimits.of(MemoryBudget.of(256 * 1024 * 1024), TrustedProxies.NONE),
            _ -> MAX_BYTES,
            new RequestThreadPool(),
            Map.of(),
            routes -> {
              door.routes(
                  routes,
                  Map.of(
                      "/webhooks/fake",
                      Samples.SURFACE,
                      "/webhooks/terse",
                      TERSE,
                      "/webhooks/off",
                      new SurfaceId("off")),
                  _ -> true);
              health.probes(routes);
              health.metrics(routes);
            });
  }

  @AfterEach
  void close() {
    server.close();
    store.close();
    database.close();
    http.close();
  }

  @Test
  void surfaceWithoutAPathIsRefused() {
    var surfaces = Surfaces.of(List.of(new EchoSurface(TERSE, 1_000)));
    var endpoint =
        new WebhookEndpoint(
            store, surfaces, InstantSource.system(), new RequestMetrics(), TraceRecorder.NONE);

    assertThatThrownBy(
            () ->
                Javalin.create(
                    config ->
                        endpoint.routes(config.routes, Map.of("/x", Samples.SURFACE), _ -> true)))
        .hasMessageContaining("No path leads to the surface terse");
  }

  @Test
  void acceptedDeliveryIsStoredBeforeTheResponse() throws Exception {
    var answer = post("/webhooks/fake", "hello");

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("{\"ok\":true}");
    assertThat(waiting()).isOne();
  }

  @Test
  void resentDeliveryIsAcceptedButStoredOnce() throws Exception {
    post("/webhooks/fake", "hello");

    assertThat(post("/webhooks/fake", "hello").statusCode()).isEqualTo(200);
    assertThat(waiting()).isOne();
  }

  @Test
  void irrelevantAndForgedRequestsAreNotStored() throws Exception {
    assertThat(post("/webhooks/fake", "noise").body()).isEqualTo("heard");
    assertThat(post("/webhooks/fake", "forged").statusCode()).isEqualTo(401);
    assertThat(waiting()).isZero();
  }

  @Test
  void aPlatformThatIsOffIsNotFound() throws Exception {
    assertThat(post("/webhooks/off", "{}").statusCode()).isEqualTo(404);
    assertThat(post("/webhooks/unknown", "{}").statusCode()).isEqualTo(404);
  }

  @Test
  void aBodyOverTheLimitIsTooLargeAnnouncedOrNot() throws Exception {
    var large = "x".repeat(MAX_BYTES + 1);
    var chunked =
        BodyPublishers.fromPublisher(
            BodyPublishers.ofString(large)); // without a length it is sent in chunks

    assertThat(post("/webhooks/fake", large).statusCode()).isEqualTo(413);
    assertThat(post("/webhooks/fake", chunked).statusCode()).isEqualTo(413);
    assertThat(waiting()).isZero();
  }

  @Test
  void tooLargeBodyIsRefusedWhileItIsStillSent() throws Exception {
    var huge = "x".repeat(5 * MAX_BYTES);

    for (int i = 0; i < 5; i++) {
      assertThat(post("/webhooks/fake", huge).statusCode()).isEqualTo(413);
    }
  }

  @Test
  void eachPlatformHasALimitOfItsOwn() throws Exception {
    assertThat(post("/webhooks/terse", "x".repeat(1_000)).statusCode()).isEqualTo(200);
    assertThat(post("/webhooks/terse", "x".repeat(1_001)).statusCode()).isEqualTo(413);
  }

  @Test
  void bodyForADisabledPlatformIsNotRead() throws Exception {
    var request =
        """
        POST /webhooks/off HTTP/1.1\r
        Host: localhost\r
        Content-Length: 1000\r
        \r
        """;

    try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(5_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      var answer = new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
      assertThat(answer).isEqualTo("HTTP/1.1 404");
    }
  }

  @Test
  void truncatedBodyIsUnreadable() throws Exception {
    var request =
        """
        POST /webhooks/fake HTTP/1.1\r
        Host: localhost\r
        Transfer-Encoding: chunked\r
        \r
        no length\r
        """;

    try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      socket.shutdownOutput();
      var answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      assertThat(answer).startsWith("HTTP/1.1 400 ");
    }
    assertThat(waiting()).isZero();
  }

  @Test
  void deliveryThatCannotBeStoredIsRequestedAgain() throws Exception {
    diskIsFull = true;
    var answer = post("/webhooks/fake", "hello");

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.headers().firstValue("Retry-After")).contains("5");
    assertThat(answer.body()).doesNotContain("Exception");
  }

  @Test
  void livenessAndReadinessAreReportedSeparately() throws Exception {
    assertThat(get("/healthz").statusCode()).isEqualTo(200);
    assertThat(get("/readyz").statusCode()).isEqualTo(200);
    diskIsFull = true;
    assertThat(get("/healthz").statusCode()).isEqualTo(200);
    assertThat(get("/readyz").statusCode()).isEqualTo(503);
    assertThat(get("/readyz").body()).contains("the disk is full");
  }

  /// Anybody may ask, so the answers are fixed words, whatever came in.
  @Test
  void healthAndMetricsRevealNoWork() throws Exception {
    post("/webhooks/fake", "the-secret-repository and /a/path");

    assertThat(get("/healthz").body()).isEqualTo("ok\n");
    assertThat(get("/readyz").body()).isEqualTo("ready\n");
    assertThat(get("/metrics").body()).doesNotContain("repository", "path", "team/channel");
  }

  @Test
  void metricsCountReceivedAndWaitingDeliveries() throws Exception {
    post("/webhooks/fake", "hello");
    post("/webhooks/fake", "hello");

    assertThat(get("/metrics").body())
        .contains("runnel_deliveries_total{result=\"accepted\",surface=\"fake\"} 1.0")
        .contains("runnel_receptions_total{result=\"known\",surface=\"fake\"} 1.0")
        .contains("runnel_inbox_waiting 1");
  }

  private HttpResponse<String> post(String path, String body) throws Exception {
    return post(path, BodyPublishers.ofString(body));
  }

  private HttpResponse<String> post(String path, BodyPublisher body) throws Exception {
    return http.send(HttpRequest.newBuilder(uri(path)).POST(body).build(), BodyHandlers.ofString());
  }

  private HttpResponse<String> get(String path) throws Exception {
    return http.send(HttpRequest.newBuilder(uri(path)).build(), BodyHandlers.ofString());
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.port() + path);
  }

  private long waiting() {
    Map<String, Long> gauges = store.gauges();
    return gauges.getOrDefault("runnel_inbox_waiting", -1L);
  }

  private final class FullableStore implements Store {
    @Override
    public <T> T commit(Function<Work, T> step) {
      return store.commit(step);
    }

    @Override
    public boolean accept(Delivery delivery) {
      if (diskIsFull) {
        throw new IllegalStateException("disk full");
      }
      return store.accept(delivery);
    }

    @Override
    public <T> T read(Function<Bindings, T> question) {
      return store.read(question);
    }
  }
}
