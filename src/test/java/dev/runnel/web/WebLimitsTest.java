package dev.runnel.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.core.model.conversation.Reply;
import dev.runnel.memory.Lease;
import dev.runnel.memory.MemoryBudget;
import dev.runnel.memory.RequestMemory;
import dev.runnel.memory.Share;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The sum of what strangers hold, and that senders with a proof are served meanwhile. Each address
/// of the loopback network is another sender.
class WebLimitsTest {
  private static final int MIB = 1024 * 1024;
  private static final int LARGEST = 5 * MIB;

  private final MemoryBudget memory = MemoryBudget.of(256L * MIB);
  private final Share unproven = memory.share(MemoryBudget.Kind.UNPROVEN);
  private final Share proven = memory.share(MemoryBudget.Kind.PROVEN);
  private final List<Socket> sockets = new ArrayList<>();

  /// What deliveries hold until they are stored, which they never are here.
  private final Queue<Lease> stored = new ConcurrentLinkedQueue<>();

  private WebLimits limits = WebLimits.of(memory, TrustedProxies.NONE);
  private WebServer server = start();
  private long always;

  private void serve(int mostConnections) {
    serve(mostConnections, TrustedProxies.NONE);
  }

  private void serve(int mostConnections, TrustedProxies proxies) {
    server.close();
    limits = WebLimits.of(memory, proxies, mostConnections);
    server = start();
    always = unproven.taken();
  }

  private WebServer start() {
    return WebServer.start(
        "0.0.0.0",
        0,
        limits,
        _ -> LARGEST,
        new RequestThreadPool(),
        Map.of(
            "/signed",
            (_, _, request, response, callback) -> {
              var fits = request.proven();
              stored.add(request.handOn());
              WebServer.send(Reply.text(fits ? 200 : 503, "done"), response, callback);
            }),
        routes -> {
          routes.post(
              "/read",
              ctx -> {
                var body = ctx.bodyAsBytes();
                ctx.result("read " + body.length);
              });
          routes.post(
              "/keyed",
              ctx -> {
                var _ = RequestMemory.of(ctx.attribute(RequestMemory.ATTRIBUTE)).proven();
                ctx.result("read " + ctx.bodyAsBytes().length);
              });
          routes.post(
              "/small-key",
              ctx -> {
                if (RequestMemory.of(ctx.attribute(RequestMemory.ATTRIBUTE)).provenByKey()) {
                  ctx.result("read " + ctx.bodyAsBytes().length);
                } else {
                  ctx.status(503).result("spent");
                }
              });
          routes.post("/refused", ctx -> ctx.status(401).result("no key"));
        });
  }

  @AfterEach
  void close() throws IOException {
    for (var socket : sockets) {
      socket.close();
    }
    server.close();
  }

  @Test
  void bodiesOfManySendersTakeNoMoreThanTheirShareAndSmallDeliveriesPass() throws Exception {
    serve(10_000);
    var slow = new ArrayList<Socket>();
    for (int i = 0; i < 64; i++) {
      var socket = connect("127.0.1." + (i + 1));
      send(socket, head("/read", LARGEST));
      socket.getOutputStream().write(new byte[1_000]);
      slow.add(socket);
    }

    await().until(() -> answered(slow) == 62);
    assertThat(unproven.taken()).isLessThanOrEqualTo(unproven.size());
    assertThat(answers(slow))
        .allSatisfy(
            answer ->
                assertThat(answer)
                    .startsWith("HTTP/1.1 503")
                    .contains("Retry-After: 1\r\n", "Connection: close\r\n"));
    assertThat(signed(connect("127.0.2.1"))).startsWith("HTTP/1.1 200");

    for (var socket : slow) {
      socket.close();
    }
    await().until(() -> unproven.taken() == always);
  }

  @Test
  void anAddressSendsOneLargeBodyWithoutProofAtATime() throws Exception {
    serve(10_000);
    var first = connect("127.0.0.1");
    send(first, head("/read", LARGEST));
    await().until(() -> unproven.taken() > always + LARGEST);

    assertThat(post(connect("127.0.0.1"), "/read", 100_000)).startsWith("HTTP/1.1 503");
    assertThat(post(connect("127.0.0.1"), "/read", 10_000)).contains("read 10000");
    assertThat(post(connect("127.0.0.2"), "/read", 100_000)).contains("read 100000");
    first.getOutputStream().write(new byte[LARGEST]);
    assertThat(answer(first)).contains("read " + LARGEST);
    assertThat(post(connect("127.0.0.1"), "/read", 100_000)).contains("read 100000");
  }

  @Test
  void bodiesWithAKeyAreTakenFromTheOtherShare() throws Exception {
    serve(10_000);
    var first = connect("127.0.0.1");
    send(first, head("/keyed", LARGEST));
    await().until(() -> proven.taken() > LARGEST);

    assertThat(unproven.taken()).isEqualTo(always);
    assertThat(post(connect("127.0.0.1"), "/keyed", 100_000)).contains("read 100000");
    first.close();
    await().until(() -> proven.taken() == 0);
  }

  @Test
  void requestsWithASmallKeyLeaveRoomForDeliveries() throws Exception {
    serve(10_000);
    for (int i = 0; i < 1_100; i++) {
      send(connect("127.0.0.1"), head("/small-key", 4));
    }
    await().until(() -> proven.refusals() > 0);

    await().until(() -> proven.taken() <= proven.size() / 4);
    assertThat(signed(connect("127.0.0.1"))).startsWith("HTTP/1.1 200");
  }

  @Test
  void aBodyWithoutALengthIsTakenAsItArrives() throws Exception {
    serve(10_000);
    var socket = connect("127.0.0.1");
    send(socket, "POST /read HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    var chunk = new byte[10_000];
    for (int i = 0; i < 6; i++) {
      send(socket, "2710\r\n");
      socket.getOutputStream().write(chunk);
      send(socket, "\r\n");
    }
    await().until(() -> unproven.taken() >= always + 2 * 60_000);
    send(socket, "0\r\n\r\n");

    assertThat(answer(socket)).contains("read 60000");
    await().until(() -> unproven.taken() == always);
  }

  @Test
  void aBodyWithoutALengthIsRefusedOnceItIsTooLarge() throws Exception {
    serve(10_000);
    var socket = connect("127.0.0.1");
    send(socket, "POST /read HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    send(socket, Integer.toHexString(LARGEST + 1) + "\r\n");
    socket.getOutputStream().write(new byte[LARGEST + 1]);

    assertThat(answer(socket)).startsWith("HTTP/1.1 413");
  }

  @Test
  void aRefusedBodyIsAnsweredBeforeItArrives() throws Exception {
    serve(10_000);
    for (var refusal :
        Map.of("/nowhere", 404, "/refused", 401, "/read", 413, "/signed", 404).entrySet()) {
      var socket = connect("127.0.0.1");
      send(socket, head(refusal.getKey(), 32 * MIB));
      socket.getOutputStream().write(new byte[20_000]);

      assertThat(answer(socket))
          .as(refusal.getKey())
          .startsWith("HTTP/1.1 " + refusal.getValue())
          .contains("Connection: close\r\n");
      assertThat(socket.getInputStream().read()).isNegative();
    }
  }

  @Test
  void aSenderThatStillWritesSeesTheAnswer() throws Exception {
    serve(10_000);
    var socket = connect("127.0.0.1");
    send(socket, head("/read", 32 * MIB));
    var body = new byte[10_000];
    for (int i = 0; i < 20; i++) {
      socket.getOutputStream().write(body);
    }

    assertThat(answer(socket)).startsWith("HTTP/1.1 413");
    assertThat(socket.getInputStream().read()).isNegative();
  }

  @Test
  @Tag("slow")
  void theRestOfARefusedBodyIsNotRead() throws Exception {
    serve(10_000);
    var socket = connect("127.0.0.1");
    send(socket, head("/read", Integer.MAX_VALUE));
    var written = 0L;
    try {
      for (var part = new byte[MIB]; written < Integer.MAX_VALUE; written += part.length) {
        socket.getOutputStream().write(part);
      }
    } catch (SocketException closed) {
      // After what the system buffers.
    }

    assertThat(written).isLessThan(64L * MIB);
    await().until(() -> limits.connections().open() == 0);
  }

  @Test
  void aBodyThatWasNotReadButHasArrivedDoesNotEndTheConnection() throws Exception {
    serve(10_000);
    var socket = connect("127.0.0.1");

    assertThat(post(socket, "/refused", 100)).startsWith("HTTP/1.1 401");
    assertThat(post(socket, "/read", 100)).contains("read 100");
  }

  @Test
  void aHeadThatIsNotCompleteTakesMemory() throws Exception {
    serve(10_000);
    var socket = connect("127.0.0.1");
    send(socket, "GET / HTTP/1.1\r\n" + "a:\r\n".repeat(90));
    await().until(() -> unproven.taken() > always + 90 * 128);

    send(socket, "Host: a\r\n\r\n");
    assertThat(answer(socket)).startsWith("HTTP/1.1 404");
    await().until(() -> unproven.taken() == always);
  }

  @Test
  void headsThatAreNotCompleteTakeNoMoreThanTheirPart() throws Exception {
    serve(10_000);
    for (int i = 0; i < 400; i++) {
      var socket = connect("127.0.0.1");
      send(socket, "GET / HTTP/1.1\r\n" + "a:b\r\n".repeat(99));
    }

    await().until(() -> limits.connections().open() < 400);
    assertThat(unproven.taken()).isLessThanOrEqualTo(always + unproven.size() / 4);
    assertThat(signed(connect("127.0.0.1"))).startsWith("HTTP/1.1 200");
  }

  @Test
  void aHeadWithTooManyFieldsIsRefused() throws Exception {
    serve(10_000);
    var socket = connect("127.0.0.1");
    send(socket, "GET / HTTP/1.1\r\nHost: a\r\n" + "a:b\r\n".repeat(100) + "\r\n");

    assertThat(answer(socket)).startsWith("HTTP/1.1 431");
  }

  @Test
  void deliveriesHoldMemoryUntilTheyAreStored() throws Exception {
    serve(10_000);
    var socket = connect("127.0.0.1");

    assertThat(signed(socket)).startsWith("HTTP/1.1 200");
    assertThat(proven.taken()).isEqualTo(4 * 1024 + 2 * 4);
    stored.forEach(Lease::close);
    assertThat(proven.taken()).isZero();
  }

  @Test
  void twoThousandIdleConnectionsDoNotKeepASignedDeliveryWaiting() throws Exception {
    serve(10_000);
    for (int i = 0; i < 2_000; i++) {
      var _ = connect("127.0.0.1");
    }
    await().until(() -> limits.connections().open() == 2_000);

    assertThat(signed(connect("127.0.0.1"))).startsWith("HTTP/1.1 200");
    assertThat(limits.connections().open()).isEqualTo(2_001);
  }

  @Test
  void theOldestIdleConnectionWithoutProofGivesWay() throws Exception {
    serve(16);
    var withProof = connect("127.0.0.1");
    assertThat(signed(withProof)).startsWith("HTTP/1.1 200");
    var busy = connect("127.0.0.1");
    send(busy, head("/read", 100));
    await().until(() -> unproven.taken() > always);
    var idle = new ArrayList<Socket>();
    while (limits.connections().open() < 16) {
      idle.add(connect("127.0.0.1"));
      await().until(() -> limits.connections().open() == idle.size() + 2);
    }

    assertThat(signed(connect("127.0.0.1"))).startsWith("HTTP/1.1 200");

    assertThat(idle.getFirst().getInputStream().read()).isNegative();
    busy.getOutputStream().write(new byte[100]);
    assertThat(answer(busy)).contains("read 100");
    assertThat(signed(withProof)).startsWith("HTTP/1.1 200");
    assertThat(limits.connections().open()).isEqualTo(16);
  }

  @Test
  void anEighthIsKeptForAddressesThatProvedThemselvesBefore() throws Exception {
    serve(16);
    var gone = connect("127.0.3.1");
    assertThat(signed(gone)).startsWith("HTTP/1.1 200");
    gone.close();
    await().until(() -> limits.connections().open() == 0);
    for (int i = 0; i < 40; i++) {
      var _ = connect("127.0.4." + (i + 1));
    }
    await().until(() -> limits.connections().open() == 14);

    var kept = new ArrayList<Socket>();
    for (int i = 0; i < 2; i++) {
      kept.add(connect("127.0.3.1"));
    }
    await().until(() -> limits.connections().open() == 16);
    for (var socket : kept) {
      assertThat(signed(socket)).startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void connectionsWithAProofThatAreIdleKeepNobodyOut() throws Exception {
    serve(16);
    for (int i = 0; i < 16; i++) {
      assertThat(signed(connect("127.0.1.1"))).startsWith("HTTP/1.1 200");
    }

    for (int i = 0; i < 16; i++) {
      assertThat(signed(connect("127.0.3.1"))).startsWith("HTTP/1.1 200");
    }
    assertThat(limits.connections().open()).isLessThanOrEqualTo(16);
  }

  @Test
  void anAddressWithManyConnectionsGivesWayBeforeOthers() throws Exception {
    serve(400);
    var oldest = connect("127.0.5.1");
    await().until(() -> limits.connections().open() == 1);
    for (int i = 0; i < 500; i++) {
      var _ = connect("127.0.0.1");
    }
    await().until(() -> limits.connections().open() == 350);

    assertThat(signed(oldest)).startsWith("HTTP/1.1 200");
  }

  @Test
  void behindATrustedProxyTheForwardedAddressCounts() throws Exception {
    serve(10_000, TrustedProxies.of(List.of("127.0.0.0/24")));
    var first = connect("127.0.0.1");
    send(first, forwarded("198.51.100.1", LARGEST));
    await().until(() -> unproven.taken() > always + LARGEST);

    var same = connect("127.0.0.1");
    send(same, forwarded("203.0.113.9, 198.51.100.1, 127.0.0.2", 100_000));
    assertThat(answer(same)).startsWith("HTTP/1.1 503");
    var other = connect("127.0.0.1");
    send(other, forwarded("198.51.100.1, 198.51.100.2", 100_000));
    other.getOutputStream().write(new byte[100_000]);
    assertThat(answer(other)).contains("read 100000");
  }

  private static String forwarded(String addresses, int length) {
    return "POST /read HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: %s\r\nContent-Length: %d\r\n\r\n"
        .formatted(addresses, length);
  }

  private Socket connect(String from) throws IOException {
    var socket = new Socket();
    sockets.add(socket);
    socket.setSoTimeout((int) Duration.ofSeconds(10).toMillis());
    socket.bind(new InetSocketAddress(InetAddress.ofLiteral(from), 0));
    socket.connect(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), server.port()));
    return socket;
  }

  private static String head(String path, int length) {
    return "POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n".formatted(path, length);
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static String signed(Socket socket) throws IOException {
    send(socket, head("/signed", 4) + "body");
    return answer(socket);
  }

  private static String post(Socket socket, String path, int length) throws IOException {
    send(socket, head(path, length));
    socket.getOutputStream().write(new byte[length]);
    return answer(socket);
  }

  private static long answered(List<Socket> some) {
    return some.stream()
        .filter(
            socket -> {
              try {
                return socket.getInputStream().available() > 0;
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            })
        .count();
  }

  private static List<String> answers(List<Socket> some) throws IOException {
    var answers = new ArrayList<String>();
    for (var socket : some) {
      if (socket.getInputStream().available() > 0) {
        answers.add(answer(socket));
      }
    }
    return answers;
  }

  /// The head of a response and its body.
  private static String answer(Socket socket) throws IOException {
    var input = socket.getInputStream();
    var text = new StringBuilder();
    while (text.indexOf("\r\n\r\n") < 0) {
      var next = input.read();
      if (next < 0) {
        return text + " (end)";
      }
      text.append((char) next);
    }
    var length = text.indexOf("Content-Length: ");
    if (length >= 0) {
      var end = text.indexOf("\r\n", length);
      var bytes = Integer.parseInt(text.substring(length + "Content-Length: ".length(), end));
      text.append(new String(input.readNBytes(bytes), StandardCharsets.UTF_8));
    }
    return text.toString();
  }
}
