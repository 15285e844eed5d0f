package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.client.AsyncTest.Hanging;
import dev.runnel.wire.CreateRun;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("slow")
@Timeout(30)
class ClosingTest extends ClientFixture {
  private final CountDownLatch hungUp = new CountDownLatch(1);

  /// A program that makes one call and forgets to close.
  static final class OneCall {
    public static void main(String[] arguments) {
      var client = RunsClient.builder().baseUrl(URI.create(arguments[0])).apiKey(KEY).build();
      var _ = client.runs().get("r1").sendAsync().join();
      System.out.println(client.runs().get("r1").send().runId());
    }
  }

  @Test
  void aProgramEndsAlthoughItsClientIsNotClosed() throws Exception {
    server.enqueue(json(200, RUN));
    server.enqueue(json(200, RUN));
    var process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                OneCall.class.getName(),
                server.url("/api/v1").toString())
            .redirectErrorStream(true)
            .start();
    try {
      assertThat(process.waitFor(20, TimeUnit.SECONDS)).as("ended by itself").isTrue();
      assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .endsWith("r1\n");
      assertThat(process.exitValue()).isZero();
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void closeEndsACallInProgressWithoutARetry() throws Exception {
    try (var hanging = new Hanging()) {
      var client = builder().baseUrl(hanging.server.baseUrl()).build();
      var caller = new Caller(() -> client.runs().get("r1").send());
      hanging.asked.await();

      client.close();

      hanging.left.await();
      assertThat(caller.failure()).isInstanceOf(RunsException.ConnectionFailed.class);
      assertThat(waits).isEmpty();
    }
  }

  @Test
  void closeEndsTheWaitForTheNextAttempt() throws Exception {
    server.enqueue(RetriesTest.header(problem(429, "resource_unavailable"), "Retry-After", "60"));
    var answered = new CountDownLatch(1);
    var client =
        builder()
            .time(Time.SYSTEM)
            .deadline(Duration.ofMinutes(5))
            .onAttempt(_ -> answered.countDown())
            .build();
    var caller = new Caller(() -> client.runs().get("r1").send());
    answered.await();

    client.close();

    assertThat(caller.failure()).isInstanceOf(RunsException.class);
    assertThat(server.getRequestCount()).isOne();
  }

  @Test
  void closedClientSendsNothingWhicheverWayItWasBuilt() {
    var own = new OkHttpClient();
    for (var builder : new RunsClientBuilder[] {builder(), builder().httpClient(own)}) {
      var client = builder.build();
      client.close();
      client.close();

      assertThatThrownBy(() -> client.runs().create(CreateRun.of("fix it")).send())
          .isInstanceOfSatisfying(
              RunsException.ConnectionFailed.class,
              failure -> assertThat(failure.mayHaveHappened()).isFalse())
          .hasMessage("Could not create a run: the client is closed");
    }
    assertThat(server.getRequestCount()).isZero();
  }

  @Test
  void theCallersHttpClientStaysOpenForOthers() {
    server.enqueue(json(200, RUN));
    server.enqueue(json(200, RUN));
    var own = new OkHttpClient();
    try (var first = builder().httpClient(own).build()) {
      first.runs().get("r1").send();
    }
    try (var second = builder().httpClient(own).build()) {
      assertThat(second.runs().get("r1").send().runId()).isEqualTo("r1");
    }
    assertThat(own.dispatcher().executorService().isShutdown()).isFalse();
    assertThat(own.connectionPool().connectionCount()).isOne();
  }

  @Test
  void closeReleasesTheConnections() throws Exception {
    try (var raw =
        new RawServer(
            (socket, _) -> {
              socket.getInputStream().readNBytes(1);
              RawServer.write(socket, RawServer.ok(RUN));
              // Ends only when the client hangs up.
              socket.getInputStream().readAllBytes();
              hungUp.countDown();
            })) {
      try (var client = builder().baseUrl(raw.baseUrl()).build()) {
        client.runs().get("r1").send();
        assertThat(hungUp.getCount()).isOne();
      }
      hungUp.await();
    }
  }
}
