package dev.runnel.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.runnel.core.model.conversation.Reply;
import dev.runnel.memory.MemoryBudget;
import dev.runnel.memory.Share;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// What strangers can do to the server before they have proved anything.
class WebServerTest {
  private static final int LARGEST = 5 * 1024 * 1024;

  private final HttpClient http = HttpClient.newHttpClient();
  private final CountDownLatch routed = new CountDownLatch(1);
  private volatile Supplier<Optional<String>> problem = Optional::empty;
  private final MemoryBudget memory = MemoryBudget.of(256 * 1024 * 1024);
  private final Share unproven = memory.share(MemoryBudget.Kind.UNPROVEN);
  private final WebLimits limits = WebLimits.of(memory, TrustedProxies.NONE);
  private WebServer server = serve(Duration.ofSeconds(20));
  private final long always = unproven.taken();

  private WebServer serve(Duration timeout) {
    return WebServer.start(
        "127.0.0.1",
        0,
        limits,
        new BodyLimits(limits, _ -> LARGEST, timeout),
        new RequestThreadPool(),
        Map.of(
            "/direct",
            (_, body, _, response, callback) -> {
              if (body.length == 0) {
                throw new IllegalStateException("secret inner words");
              }
              var text = body.length + " directly " + Thread.currentThread().isVirtual();
              WebServer.send(Reply.text(200, text), response, callback);
            },
            "/defective",
            (_, _, _, _, _) -> {
              throw new NoClassDefFoundError("secret inner words");
            }),
        routes -> {
          new Health(() -> problem.get(), Optional::empty, () -> "").probes(routes);
          routes.post("/read", ctx -> ctx.result("read " + ctx.bodyAsBytes().length));
          routes.get(
              "/broken",
              ctx -> {
                throw new IllegalStateException("secret inner words");
              });
          routes.get(
              "/defective",
              ctx -> {
                throw new NoClassDefFoundError("secret inner words");
              });
          routes.post(
              "/direct",
              ctx -> {
                routed.countDown();
                ctx.result(ctx.bodyAsBytes().length + " by the route");
              });
          routes.get("/who", ctx -> ctx.result("" + Thread.currentThread().isVirtual()));
        });
  }

  @AfterEach
  void close() {
    server.close();
    http.close();
  }

  @Test
  void probesAreAnsweredWhileEveryCarrierIsBusy() throws Exception {
    int carriers =
        Integer.getInteger(
            "jdk.virtualThreadScheduler.parallelism", Runtime.getRuntime().availableProcessors());
    var running = new CountDownLatch(carriers);
    var isOver = new AtomicBoolean();
    try {
      for (int i = 0; i < carriers; i++) {
        var _ =
            Thread.startVirtualThread(
                () -> {
                  running.countDown();
                  while (!isOver.get()) {
                    Thread.onSpinWait();
                  }
                });
      }
      running.await();

      assertThat(get("/healthz").body()).isEqualTo("ok\n");
      assertThat(get("/readyz").body()).isEqualTo("ready\n");
    } finally {
      isOver.set(true);
    }
  }

  /// `/readyz` asks the database, and strangers may request it.
  @Test
  void aDatabaseThatDoesNotRespondDelaysNoOtherRequest() throws Exception {
    var asked = new CountDownLatch(1);
    var responds = new CountDownLatch(1);
    problem =
        () -> {
          asked.countDown();
          awaited(responds);
          return Optional.empty();
        };
    var ready = new ArrayList<CompletableFuture<HttpResponse<String>>>();
    try {
      for (int i = 0; i < 40; i++) {
        var path = i % 2 == 0 ? "/readyz" : "/readyz/deliveries";
        ready.add(
            http.sendAsync(HttpRequest.newBuilder(uri(path)).build(), BodyHandlers.ofString()));
      }
      asked.await();

      assertThat(get("/healthz").body()).isEqualTo("ok\n");
      assertThat(get("/who").body()).isEqualTo("true");
    } finally {
      responds.countDown();
    }
    assertThat(ready).allSatisfy(it -> assertThat(it.join().body()).isEqualTo("ready\n"));
  }

  private static void awaited(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void unexpectedErrorShowsAnIdAndNoInternals() throws Exception {
    var answer = get("/broken");

    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(answer.body())
        .matches("Internal error\\. Try again, or tell your admin: error [0-9a-f]{8}\n");
  }

  @Test
  void anErrorOfARouteShowsNoInternals() throws Exception {
    var answer = get("/defective");

    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(answer.body())
        .matches("Internal error\\. Try again, or tell your admin: error [0-9a-f]{8}\n");
  }

  @Test
  void otherRequestsRunOnVirtualThreads() throws Exception {
    assertThat(get("/who").body()).isEqualTo("true");
  }

  @Test
  void aRequestWhoseBodyHasArrivedIsHandledDirectly() throws Exception {
    assertThat(inOneWrite(3)).startsWith("HTTP/1.1 200").endsWith("3 directly false");
  }

  /// The response to a request for the direct handler whose body arrives with its headers.
  private String inOneWrite(int length) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(10_000);
      var head = "POST /direct HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n".formatted(length);
      var request = (head + "a".repeat(length)).getBytes(StandardCharsets.UTF_8);
      socket.getOutputStream().write(request);
      socket.shutdownOutput();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void aRequestWhoseBodyArrivesLaterIsHandledByTheRoute() throws Exception {
    try (var slow = sends("/direct", 3, 0)) {
      slow.setSoTimeout(10_000);
      routed.await();
      slow.getOutputStream().write("abc".getBytes(StandardCharsets.UTF_8));
      slow.shutdownOutput();

      assertThat(new String(slow.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .startsWith("HTTP/1.1 200")
          .contains("3 by the route");
    }
  }

  /// So that the time to parse it does not delay other requests.
  @Test
  void aLargeRequestIsHandledByTheRoute() throws Exception {
    assertThat(inOneWrite(16 * 1024 + 1)).contains("16385 by the route");
  }

  /// The route takes none of them, and a proxy that protects a path compares it as it is written.
  @Test
  void alternativeSpellingsOfADirectPathAreNotFound() throws Exception {
    for (var path : List.of("/./direct", "/x/../direct", "/direct;x", "/%64irect")) {
      assertThat(post(path, 0).statusCode()).as(path).isEqualTo(404);
    }
  }

  @Test
  void unexpectedErrorOfADirectHandlerShowsAnIdAndNoInternals() throws Exception {
    for (var path : List.of("/direct", "/defective")) {
      var answer = post(path, 0);

      assertThat(answer.statusCode()).isEqualTo(500);
      assertThat(answer.body())
          .matches("Internal error\\. Try again, or tell your admin: error [0-9a-f]{8}\n");
    }
  }

  @Test
  void bodyOverTheMaximumIsRefused() throws Exception {
    server.close();
    server =
        WebServer.start(
            "127.0.0.1",
            0,
            1_000,
            new RequestThreadPool(),
            Map.of(),
            routes -> routes.post("/read", ctx -> ctx.result("read " + ctx.body().length())));

    assertThat(post("/read", 1_000).body()).isEqualTo("read 1000");
    assertThat(post("/read", 1_001).statusCode()).isEqualTo(413);
  }

  @Test
  void requestWithAStalledBodyTimesOut() throws Exception {
    server.close();
    server = serve(Duration.ofMillis(200));
    try (var silent = sends("/read", 50_000, 20_000);
        var slow = sends("/read", 50_000, 0)) {
      silent.setSoTimeout(10_000);
      slow.setSoTimeout(10_000);
      // Byte by byte, and never all of it, however fast this machine is.
      try {
        for (var sent = 0; sent < 40_000 && slow.getInputStream().available() == 0; sent++) {
          slow.getOutputStream().write('x');
        }
      } catch (SocketException closed) {
        // It answered and closed the connection between the look and the write.
      }
      assertThat(status(silent)).isEqualTo("HTTP/1.1 408");
      assertThat(status(slow)).isEqualTo("HTTP/1.1 408");
    }
    await().until(() -> unproven.taken() == always);
  }

  /// An open connection counts, so that whoever keeps a thousand of them open like this keeps out
  /// everybody else.
  @Test
  void requestWithAnEndlessHeadTimesOut() throws Exception {
    server.close();
    server = serve(Duration.ofMillis(200));
    var heads = Map.of("GET /who HTTP/1.1\r\n", "X-A: b\r\n", "\r\n", "\r\n", "GET /w", "w");
    for (var head : heads.entrySet()) {
      try (var slow = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
        slow.getOutputStream().write(head.getKey().getBytes(StandardCharsets.US_ASCII));

        await().atMost(Duration.ofSeconds(10)).until(() -> isClosedAfter(slow, head.getValue()));
      }
    }
  }

  @Test
  void aHeadThatStopsHalfwayIsLate() throws Exception {
    server.close();
    server = serve(Duration.ofMillis(200));
    for (var head : List.of("G", "GET /who", "GET /who HTTP/1.1\r\n", "GET /who HTTP/1.1\r\nHo")) {
      try (var slow = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
        slow.setSoTimeout(10_000);
        slow.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));

        assertThat(status(slow)).isEqualTo("HTTP/1.1 408");
      }
    }
  }

  private static boolean isClosedAfter(Socket socket, String line) throws IOException {
    try {
      socket.getOutputStream().write(line.getBytes(StandardCharsets.US_ASCII));
      socket.setSoTimeout(1);
      return socket.getInputStream().read() < 0;
    } catch (SocketTimeoutException open) {
      return false;
    } catch (SocketException closed) {
      return true;
    }
  }

  @Test
  void aConnectionThatWaitsForItsNextRequestStaysOpen() throws Exception {
    server.close();
    server = serve(Duration.ofMillis(50));
    try (var kept = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      kept.setSoTimeout(10_000);
      for (int i = 0; i < 3; i++) {
        kept.getOutputStream()
            .write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(status(kept)).isEqualTo("HTTP/1.1 200");
        kept.getInputStream().skipNBytes(kept.getInputStream().available());
        // Longer than a head may take.
        kept.setSoTimeout(200);
        assertThatExceptionOfType(SocketTimeoutException.class)
            .isThrownBy(() -> kept.getInputStream().readNBytes(10_000));
        kept.setSoTimeout(10_000);
      }
    }
  }

  private static String status(Socket socket) throws IOException {
    return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
  }

  /// Announces a body, and sends a part of it.
  private Socket sends(String path, int announced, int sent) throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    var head =
        "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
            .formatted(path, announced);
    socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
    socket.getOutputStream().write(new byte[sent]);
    return socket;
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(uri(path)));
  }

  private HttpResponse<String> post(String path, int length)
      throws IOException, InterruptedException {
    return send(
        HttpRequest.newBuilder(uri(path)).POST(BodyPublishers.ofByteArray(new byte[length])));
  }

  private HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return http.send(request.timeout(Duration.ofSeconds(10)).build(), BodyHandlers.ofString());
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.port() + path);
  }
}
