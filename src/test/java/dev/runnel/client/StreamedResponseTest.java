package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import mockwebserver3.SocketEffect;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class StreamedResponseTest extends ClientFixture {
  private static final String HEAD = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst";

  @Test
  void theBodyIsReadPieceByPieceAsItArrives() throws Exception {
    var firstWasRead = new CountDownLatch(1);
    try (var raw =
            new RawServer(
                (socket, _) -> {
                  RawServer.write(socket, HEAD.getBytes(StandardCharsets.UTF_8));
                  firstWasRead.await();
                  RawServer.write(socket, "after".getBytes(StandardCharsets.UTF_8));
                  socket.getInputStream().readAllBytes();
                });
        var client = builder().baseUrl(raw.baseUrl()).build();
        var streamed = client.get("agent/x").withStreamedBody().send();
        var body = streamed.body()) {
      assertThat(streamed.status()).isEqualTo(200);
      assertThat(streamed.attempts()).isOne();
      assertThat(streamed.headers().firstValue("content-length")).contains("10");
      assertThat(new String(body.readNBytes(5), StandardCharsets.UTF_8)).isEqualTo("first");
      firstWasRead.countDown();
      assertThat(new String(body.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("after");
    }
  }

  @Test
  void theBodyIsReadLineByLine() {
    server.enqueue(answer(200, "ä\nb\r\nc", "text/plain").build());
    try (var client = builder().build();
        var streamed = client.get("agent/x").withStreamedBody().send()) {
      assertThat(streamed.lines()).containsExactly("ä", "b", "c");
    }
  }

  @Test
  void stalledStreamEndsAtTheReadTimeout() throws Exception {
    try (var raw = stalling();
        var client =
            builder()
                .baseUrl(raw.baseUrl())
                .options(it -> it.withReadTimeout(Duration.ofMillis(300)))
                .build();
        var streamed = client.get("agent/x").withStreamedBody().send()) {
      assertThatThrownBy(() -> streamed.body().readAllBytes())
          .isInstanceOf(RunsException.TimedOut.class);
    }
  }

  @Test
  void stalledStreamOfAPostEndsAtTheDeadline() throws Exception {
    try (var raw = stalling();
        var client = builder().baseUrl(raw.baseUrl()).deadline(Duration.ofMillis(500)).build();
        var streamed = client.post("agent/x", null).withStreamedBody().send()) {
      assertThatThrownBy(() -> streamed.body().readAllBytes())
          .isInstanceOf(RunsException.TimedOut.class);
    }
  }

  @Test
  void anInterruptEndsTheReading() throws Exception {
    var reading = new CountDownLatch(1);
    try (var raw = stalling();
        var client = builder().baseUrl(raw.baseUrl()).build()) {
      var caller =
          new Caller(
              () -> {
                try (var streamed = client.get("agent/x").withStreamedBody().send();
                    var body = streamed.body()) {
                  body.readNBytes(5);
                  reading.countDown();
                  body.readNBytes(5);
                }
              });
      reading.await();
      caller.thread.interrupt();

      assertThat(caller.failure()).isInstanceOf(RunsException.Interrupted.class);
    }
  }

  @Test
  void truncatedStreamThrowsConnectionFailed() {
    server.enqueue(
        answer(200, "x".repeat(100_000), "text/plain")
            .onResponseBody(new SocketEffect.CloseSocket())
            .build());
    try (var client = builder().build();
        var streamed = client.get("agent/x").withStreamedBody().send()) {
      assertThatThrownBy(() -> streamed.body().readAllBytes())
          .isInstanceOf(RunsException.ConnectionFailed.class);
    }
  }

  @Test
  void closingAStreamReleasesItsConnection() throws Exception {
    server.enqueue(json(200, RUN));
    server.enqueue(json(200, RUN));
    try (var client = builder().build()) {
      client.runs().get("r1").withStreamedBody().send().close();
      client.runs().get("r1").send();
    }

    server.takeRequest();
    assertThat(server.takeRequest().getExchangeIndex()).isOne();
  }

  @Test
  void errorOfAStreamedCallThrowsTheUsualException() {
    server.enqueue(problem(404, "resource_not_found", ", \"detail\": \"gone\""));
    try (var client = builder().build()) {
      var failure =
          catchThrowableOfType(
              RunsException.NotFound.class,
              () -> {
                var _ = client.get("agent/x").withStreamedBody().send();
              });

      assertThat(failure.detail()).contains("gone");
    }
  }

  @Test
  void aDownloadIsFollowedToWhereItIsKept() {
    server.enqueue(
        answer(302, "", "text/plain").setHeader("Location", server.url("/kept?sig=1")).build());
    server.enqueue(answer(200, "data", "text/plain").build());
    try (var client = builder().build();
        var streamed = client.artifacts().download("a1").withStreamedBody().send()) {
      assertThat(streamed.lines()).containsExactly("data");
    }
  }

  @Test
  void readingAStreamedBodyAsAnotherTypeClosesIt() {
    var pool = new ConnectionPool();
    server.enqueue(json(200, RUN));
    try (var client =
        builder().httpClient(new OkHttpClient.Builder().connectionPool(pool).build()).build()) {
      var tree =
          client
              .runs()
              .get("r1")
              .withStreamedBody()
              .as(com.fasterxml.jackson.databind.JsonNode.class)
              .send();

      assertThat(tree.path("run_id").textValue()).isEqualTo("r1");
      assertThat(pool.idleConnectionCount()).isEqualTo(pool.connectionCount());
    }
  }

  private static RawServer stalling() throws Exception {
    return new RawServer(
        (socket, _) -> {
          RawServer.write(socket, HEAD.getBytes(StandardCharsets.UTF_8));
          socket.getInputStream().readAllBytes();
        });
  }
}
