package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.runnel.wire.CreateRun;
import java.net.Socket;
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

  @Test
  void aCreationOnAConnectionThatWasHungUpIsSentOnceOnANewOne() throws Exception {
    var hungUp = new CountDownLatch(1);
    try (var raw = server(hungUp, "", 1);
        var client = builder().baseUrl(raw.baseUrl()).maxRetries(0).build()) {
      client.runs().get("r1").send();
      hungUp.await();

      assertThat(client.runs().create(FIX_IT).send().runId()).isEqualTo("r1");
      assertThat(raw.requests).hasSize(2);
      assertThat(waits).isEmpty();
    }
  }

  @Test
  void aFarewellNobodyAskedForIsNotTakenForTheNextAnswer() throws Exception {
    var hungUp = new CountDownLatch(1);
    var farewell = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n";
    try (var raw = server(hungUp, farewell, 1);
        var client = builder().baseUrl(raw.baseUrl()).maxRetries(0).build()) {
      client.runs().get("r1").send();
      hungUp.await();

      assertThat(client.runs().create(FIX_IT).send().runId()).isEqualTo("r1");
      assertThat(raw.requests).hasSize(2);
    }
  }

  @Test
  void aReadingWorksAlthoughAllKeptConnectionsWereHungUp() throws Exception {
    var hungUp = new CountDownLatch(5);
    try (var raw = server(hungUp, "", 5);
        var client = builder().baseUrl(raw.baseUrl()).maxRetries(0).build()) {
      var reading = new ArrayList<CompletableFuture<?>>();
      for (int i = 0; i < 5; i++) {
        reading.add(client.runs().get("r1").sendAsync());
      }
      for (var one : reading) {
        one.get(10, TimeUnit.SECONDS);
      }
      hungUp.await();

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

  /// The server takes an answer from its queue only after it has refused, so that it may refuse the
  /// second try, too: the third answer is for that case.
  @Test
  void aStreamThatHttp2RefusedWasNotHandledSoACreationIsSentAgain() {
    try (var client = http2().build()) {
      server.enqueue(
          new MockResponse.Builder()
              .onRequestStart(new SocketEffect.CloseStream(REFUSED_STREAM))
              .build());
      server.enqueue(json(200, CREATED));
      server.enqueue(json(200, CREATED));

      assertThat(client.runs().create(FIX_IT).send().runId()).isEqualTo("r1");
      assertThat(waits).hasSizeBetween(1, 2);
    }
  }

  @Test
  void aStreamThatHttp2BrokeMayHaveBeenHandled() {
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

  /// The first connections answer once, when all of them were asked, and hang up.
  private static RawServer server(CountDownLatch hungUp, String farewell, int first)
      throws Exception {
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
                Thread.sleep(50);
                hangUp(socket, farewell);
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

  private static void hangUp(Socket socket, String farewell) throws Exception {
    RawServer.write(socket, farewell.getBytes(StandardCharsets.UTF_8));
    socket.close();
  }
}
