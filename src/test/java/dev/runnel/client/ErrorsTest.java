package dev.runnel.client;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.runnel.wire.CreateRun;
import dev.runnel.wire.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import mockwebserver3.SocketEffect;
import okio.Buffer;
import okio.GzipSink;
import okio.Okio;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Each failure and its class.
@Timeout(60)
class ErrorsTest extends ClientFixture {
  private static final CreateRun FIX_IT = CreateRun.of("fix it");

  @Test
  void status400ThrowsBadRequest() {
    fails(400, RunsException.BadRequest.class);
  }

  @Test
  void status401ThrowsUnauthorized() {
    fails(401, RunsException.Unauthorized.class);
  }

  @Test
  void status403ThrowsForbidden() {
    fails(403, RunsException.Forbidden.class);
  }

  @Test
  void status404ThrowsNotFound() {
    fails(404, RunsException.NotFound.class);
  }

  @Test
  void status409ThrowsConflict() {
    fails(409, RunsException.Conflict.class);
  }

  @Test
  void status422ThrowsUnprocessable() {
    fails(422, RunsException.Unprocessable.class);
  }

  @Test
  void status429ThrowsTooMany() {
    fails(429, RunsException.TooMany.class);
  }

  @Test
  void status5xxThrowsServerFailed() {
    for (var status : List.of(500, 501, 502, 503, 504, 599)) {
      fails(status, RunsException.ServerFailed.class);
    }
  }

  @Test
  void otherErrorStatusThrowsOtherStatus() {
    for (var status : List.of(300, 304, 402, 405, 408, 410, 418, 451)) {
      fails(status, RunsException.OtherStatus.class);
    }
  }

  @Test
  void brokenConnectionThrowsConnectionFailed() {
    server.enqueue(reset());

    var failure = failure();

    assertThat(failure)
        .isInstanceOf(RunsException.ConnectionFailed.class)
        .hasMessage("Could not read run r1: the connection to the run service broke");
    assertThat(failure.status()).isEmpty();
    assertThat(failure.headers().map()).isEmpty();
    assertThat(failure.retryable()).isTrue();
  }

  @Test
  void interruptedCallThrowsInterruptedAndKeepsTheInterruptFlag() throws Exception {
    server.enqueue(DeadlinesTest.stalled());
    try (var client = builder().build()) {
      var isInterrupted = new AtomicReference<Boolean>();
      var caller =
          new Caller(
              () -> {
                try {
                  client.runs().create(FIX_IT).send();
                } finally {
                  isInterrupted.set(Thread.currentThread().isInterrupted());
                }
              });
      server.takeRequest();
      caller.thread.interrupt();

      assertThat(caller.failure())
          .isInstanceOfSatisfying(
              RunsException.Interrupted.class, it -> assertThat(it.mayHaveHappened()).isTrue());
      assertThat(isInterrupted.get()).isTrue();
    }
  }

  @Test
  void malformedResponseKeepsItsStatusAndHeaders() {
    server.enqueue(
        answer(200, "<html>Log in</html>", "text/html").setHeader("X-Request-Id", "q1").build());

    var failure = failure();

    assertThat(failure).isInstanceOf(RunsException.MalformedResponse.class);
    assertThat(failure.status()).hasValue(200);
    assertThat(failure.requestId()).contains("q1");
    assertThat(failure)
        .hasMessageContaining("(200, text/html, 19 bytes)")
        .hasMessageNotContaining("Log in")
        .hasNoCause();
  }

  @Test
  void responseThatIsNotAJsonObjectIsMalformed() {
    for (var body : List.of("", "{\"run_id\": \"r1\", \"sta", "[]", "null", "7", "\"r1\"")) {
      server.enqueue(json(200, body));
      assertThat(failure()).as(body).isInstanceOf(RunsException.MalformedResponse.class);
    }
  }

  @Test
  void strictOptionRejectsUnreadableMembers() {
    var odd = RUN.replace("\"2026-01-05T09:00:00Z\"", "\"yesterday\"");
    server.enqueue(json(200, odd));
    server.enqueue(json(200, odd));
    try (var client = builder().build()) {
      assertThat(client.runs().get("r1").send().createdAt()).isNull();
      assertThatThrownBy(
              () -> client.runs().get("r1").withOptions(it -> it.withStrict(true)).send())
          .isInstanceOf(RunsException.MalformedResponse.class);
    }
  }

  @Test
  void oversizedResponseIsNotKept() {
    var packed = new Buffer();
    try (var sink = Okio.buffer(new GzipSink(packed))) {
      var zeros = new byte[1 << 20];
      for (int i = 0; i < 65; i++) {
        sink.write(zeros);
      }
    } catch (java.io.IOException impossible) {
      throw new AssertionError(impossible);
    }
    for (var status : List.of(200, 400)) {
      server.enqueue(
          answer(status, "", "application/json")
              .setHeader("Content-Encoding", "gzip")
              .body(packed.clone())
              .build());
    }

    assertThat(failure())
        .isInstanceOf(RunsException.MalformedResponse.class)
        .hasMessage("Could not read run r1: the response is too long");
    assertThat(failure()).isInstanceOf(RunsException.BadRequest.class);
  }

  @Test
  void errorWithATruncatedBodyKeepsItsType() {
    server.enqueue(
        answer(401, "{\"type\": \"authentication_required\"}", "application/problem+json")
            .onResponseBody(new SocketEffect.CloseSocket())
            .build());
    try (var client = builder().build()) {
      var failure =
          catchThrowableOfType(RunsException.class, () -> client.runs().create(FIX_IT).send());

      assertThat(failure).isInstanceOf(RunsException.Unauthorized.class);
      assertThat(failure.mayHaveHappened()).isFalse();
    }
  }

  @Test
  void allMembersOfAProblemAreRead() {
    server.enqueue(
        RetriesTest.header(
            problem(
                409,
                "conflict",
                ", \"detail\": \"Not yet\", \"instance\": \"/r1\", \"retryable\": true,"
                    + " \"trace_id\": \"t1\""),
            "X-Request-Id",
            "q1"));

    var failure = failure();

    assertThat(failure.status()).hasValue(409);
    assertThat(failure.code()).isEqualTo(ErrorCode.CONFLICT);
    assertThat(failure.title()).contains("It went wrong");
    assertThat(failure.detail()).contains("Not yet");
    assertThat(failure.retryable()).isTrue();
    assertThat(failure.traceId()).contains("t1");
    assertThat(failure.requestId()).contains("q1");
    assertThat(failure.headers().firstValue("content-type")).contains("application/problem+json");
    assertThat(failure.problem().orElseThrow().instance()).isEqualTo("/r1");
    assertThat(failure)
        .hasMessage(
            "Could not read run r1: It went wrong: Not yet"
                + " (409 conflict, trace t1, request q1)");
  }

  @Test
  void exceptionMessageIsOneLineWithoutTheKey() {
    var padding = "x".repeat(290);
    server.enqueue(
        problem(
            400, "a\\nb", ", \"detail\": \"" + padding + KEY + "\", \"trace_id\": \"\\r\\nt\""));

    assertThat(failure())
        .hasMessageNotContaining(KEY.substring(0, 6))
        .hasMessageNotContaining("\n")
        .hasMessageNotContaining("\r");
  }

  @Test
  void malformedResponseHeadersAreOmitted() throws Exception {
    var raw =
        "HTTP/1.1 400 Bad\r\n: no name\r\nno colon\r\nA: 1\r\na : 2\r\nContent-Length: 0\r\n\r\n";
    try (var rubbish = new RawServer((socket, _) -> RawServer.write(socket, bytes(raw)));
        var client = builder().baseUrl(rubbish.baseUrl()).build()) {
      var failure = catchThrowableOfType(RunsException.class, () -> client.runs().get("r1").send());

      assertThat(failure.headers().allValues("a")).contains("1");
    }
  }

  @Test
  void protocolSwitchThrowsConnectionFailed() throws Exception {
    var raw = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n";
    try (var switching = new RawServer((socket, _) -> RawServer.write(socket, bytes(raw)));
        var client = builder().baseUrl(switching.baseUrl()).maxRetries(0).build()) {
      assertThatThrownBy(() -> client.runs().get("r1").send())
          .isInstanceOf(RunsException.ConnectionFailed.class);
    }
  }

  @Test
  void randomResponsesThrowOnlyRunsExceptions() throws Exception {
    var random = new Random(20_260_105);
    var next = new AtomicReference<byte[]>(new byte[0]);
    try (var raw =
            new RawServer(
                (socket, _) -> {
                  socket.setSoTimeout(200);
                  RawServer.write(socket, requireNonNull(next.get()));
                  socket.shutdownOutput();
                  while (socket.getInputStream().read() >= 0) {}
                });
        var client =
            builder()
                .baseUrl(raw.baseUrl())
                .maxRetries(0)
                .deadline(Duration.ofSeconds(2))
                .build()) {
      for (int i = 0; i < 400; i++) {
        next.set(rubbish(random));
        var thrown =
            catchThrowable(
                () -> {
                  var raws = client.runs().get("r1").withRawResponse().send();
                  assertThat(raws.headers()).isNotNull();
                  var _ = raws.parse();
                });
        if (thrown != null) {
          assertThat(thrown).isInstanceOf(RunsException.class);
          var failure = (RunsException) thrown;
          assertThat(failure.getMessage()).startsWith("Could not read run r1: ");
          assertThat(failure.headers()).isNotNull();
          assertThat(failure.code()).isNotNull();
          assertThat(failure.retryAfter()).isNotNull();
          assertThat(failure.requestId()).isNotNull();
          assertThat(failure.mayHaveHappened()).isFalse();
        }
      }
    }
  }

  /// From noise to an answer with one byte wrong.
  private static byte[] rubbish(Random random) {
    var noise = new byte[random.nextInt(200)];
    random.nextBytes(noise);
    var text = new String(noise, StandardCharsets.ISO_8859_1);
    return switch (random.nextInt(6)) {
      case 0 -> noise;
      case 1 -> bytes("HTTP/1.1 " + random.nextInt(1000) + " " + text + "\r\n\r\n");
      case 2 -> bytes("HTTP/1.1 200 OK\r\n" + text + "\r\n\r\n" + RUN);
      case 3 -> bytes("HTTP/1.1 503 No\r\nRetry-After: " + text + "\r\n\r\n" + text);
      case 4 -> RawServer.ok(text);
      default -> {
        var almost = RawServer.ok(RUN);
        almost[random.nextInt(almost.length)] = (byte) random.nextInt(256);
        yield almost;
      }
    };
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private void fails(int status, Class<? extends RunsException> type) {
    server.enqueue(problem(status, "x"));
    var failure = failure();
    assertThat(failure).isInstanceOf(type);
    assertThat(failure.status()).hasValue(status);
  }

  private RunsException failure() {
    try (var client = builder().maxRetries(0).build()) {
      return catchThrowableOfType(RunsException.class, () -> client.runs().get("r1").send());
    }
  }
}
