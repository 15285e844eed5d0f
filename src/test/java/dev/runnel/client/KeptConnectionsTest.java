package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.runnel.wire.CreateRun;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import mockwebserver3.MockResponse;
import mockwebserver3.SocketEffect;
import okhttp3.Protocol;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Connections that are kept between requests, and that the service gives up meanwhile.
@Timeout(30)
class KeptConnectionsTest extends ClientFixture {
  private static final CreateRun FIX_IT = CreateRun.of("fix it");
  private static final int REFUSED_STREAM = 7;

  private final CountDownLatch answersRead = new CountDownLatch(1);
  private CountDownLatch hungUp = new CountDownLatch(0);

  @Test
  void creationOnAClosedConnectionIsSentOnceOnANewOne() throws Exception {
    try (var raw = server("", 1);
        var client = builder().baseUrl(raw.baseUrl()).maxRetries(0).build()) {
      client.runs().get("r1").send();
      hangUpAll();

      assertThat(client.runs().create(FIX_IT).send().runId()).isEqualTo("r1");
      assertThat(raw.requests).hasSize(2);
      assertThat(waits).isEmpty();
    }
  }

  @Test
  void unsolicitedTimeoutResponseIsNotReadAsTheNextResponse() throws Exception {
    var farewell = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n";
    try (var raw = server(farewell, 1);
        var client = builder().baseUrl(raw.baseUrl()).maxRetries(0).build()) {
      client.runs().get("r1").send();
      hangUpAll();

      assertThat(client.runs().create(FIX_IT).send().runId()).isEqualTo("r1");
      assertThat(raw.requests).hasSize(2);
    }
  }

  @Test
  void readWorksAlthoughAllPooledConnectionsWereClosed() throws Exception {
    try (var raw = server("", 5);
        var client = builder().baseUrl(raw.baseUrl()).maxRetries(0).build()) {
      var reading = new ArrayList<CompletableFuture<?>>();
      for (int i = 0; i < 5; i++) {
        reading.add(client.runs().get("r1").sendAsync());
      }
      for (var one : reading) {
        one.get(10, TimeUnit.SECONDS);
      }
      hangUpAll();

      assertThat(client.runs().get("r1").send().runId()).isEqualTo("r1");
      assertThat(raw.requests).hasSize(6);
    }
  }

  @Test
  void aCreationThatBreaksOnAKeptConnectionIsNotRepeated() {
    server.enqueue(json(200, RUN));
    server.enqueue(reset());
    server.enqueue(json(200, CREATED));
    try (var client = builder().build()) {
      client.runs().get("r1").send();

      var failure =
          catchThrowableOfType(
              RunsException.ConnectionFailed.class, () -> client.runs().create(FIX_IT).send());

      assertThat(failure.mayHaveHappened()).isTrue();
      assertThat(server.getRequestCount()).isEqualTo(2);
    }
  }

  @Test
  void aConnectionIsKeptForTheNextRequest() throws Exception {
    server.enqueue(json(200, RUN));
    server.enqueue(json(200, CREATED));
    try (var client = builder().build()) {
      client.runs().get("r1").send();
      client.withOptions(it -> it.withTeam("t1")).runs().create(FIX_IT).send();
    }

    server.takeRequest();
    var second = server.takeRequest();
    assertThat(second.getConnectionIndex()).isZero();
    assertThat(second.getExchangeIndex()).isOne();
  }

  @Test
  void creationOnARefusedHttp2StreamIsSentAgain() {
    try (var client = http2().build()) {
      server.enqueue(
          new MockResponse.Builder()
              .onResponseStart(new SocketEffect.CloseStream(REFUSED_STREAM))
              .build());
      server.enqueue(json(200, CREATED));

      assertThat(client.runs().create(FIX_IT).send().runId()).isEqualTo("r1");
      assertThat(waits).hasSize(1);
    }
  }

  @Test
  void creationOnAResetHttp2StreamIsUncertain() {
    try (var client = http2().build()) {
      server.enqueue(
          new MockResponse.Builder().onResponseStart(new SocketEffect.CloseStream(2)).build());
      server.enqueue(json(200, CREATED));

      var failure =
          catchThrowableOfType(RunsException.class, () -> client.runs().create(FIX_IT).send());

      assertThat(failure.mayHaveHappened()).isTrue();
      assertThat(waits).isEmpty();
    }
  }

  private RunsClientBuilder http2() {
    var only = List.of(Protocol.H2_PRIOR_KNOWLEDGE);
    server.setProtocols(only);
    return builder().http(it -> it.protocols(only));
  }

  /// The first connections answer once, when all of them were asked, and hang up when they are
  /// told.
  private RawServer server(String farewell, int first) throws Exception {
    hungUp = new CountDownLatch(first);
    var asked = new CountDownLatch(first);
    var self = new CompletableFuture<RawServer>();
    var raw =
        new RawServer(
            (socket, number) -> {
              var server = self.get();
              if (number <= first) {
                server.read(socket);
                asked.countDown();
                asked.await();
                RawServer.write(socket, RawServer.ok(RUN));
                answersRead.await();
                RawServer.write(socket, farewell.getBytes(StandardCharsets.UTF_8));
                socket.close();
                hungUp.countDown();
              } else {
                while (server.read(socket)) {
                  RawServer.write(socket, RawServer.ok(RUN));
                }
              }
            });
    self.complete(raw);
    return raw;
  }

  private void hangUpAll() throws InterruptedException {
    answersRead.countDown();
    hungUp.await();
  }
}
