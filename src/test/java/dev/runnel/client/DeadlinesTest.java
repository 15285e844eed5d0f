package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.runnel.wire.CreateRun;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;
import mockwebserver3.MockResponse;
import mockwebserver3.SocketEffect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What ends a wait for the service.
@Timeout(30)
class DeadlinesTest extends ClientFixture {
  private static final Duration SHORT = Duration.ofMillis(300);

  @Test
  void theDeadlineEndsAStalledHead() {
    server.enqueue(stalled());

    timesOut();
  }

  @Test
  void theDeadlineEndsAStalledBody() {
    server.enqueue(answer(200, RUN, "application/json").bodyDelay(20, TimeUnit.SECONDS).build());

    timesOut();
  }

  @Test
  void deadlineEndsASlowBody() {
    server.enqueue(
        answer(200, RUN, "application/json").throttleBody(1, 50, TimeUnit.MILLISECONDS).build());

    timesOut();
  }

  @Test
  void theDeadlineLeavesAStalledCreationInDoubt() {
    server.enqueue(stalled());
    try (var client = builder().deadline(SHORT).build()) {
      var failure =
          catchThrowableOfType(
              RunsException.TimedOut.class,
              () -> client.runs().create(CreateRun.of("fix it")).send());

      assertThat(failure.mayHaveHappened()).isTrue();
    }
    assertThat(server.getRequestCount()).isOne();
  }

  @Test
  void theDeadlineIsForAllAttemptsAndWaitsTogether() {
    for (int i = 0; i < 5; i++) {
      server.enqueue(problem(500, "internal_error"));
    }
    try (var client = builder().deadline(Duration.ofSeconds(4)).maxRetries(9).build()) {
      assertThatThrownBy(() -> client.runs().get("r1").send())
          .isInstanceOf(RunsException.ServerFailed.class);
    }

    // The fourth would outlast it.
    assertThat(waits).extracting(Duration::toMillis).containsExactly(500L, 1000L, 2000L);
  }

  @Test
  void defaultDeadlineIsAMinute() {
    for (int i = 0; i < 20; i++) {
      server.enqueue(problem(500, "internal_error"));
    }
    try (var client = builder().maxRetries(99).build()) {
      assertThatThrownBy(() -> client.runs().get("r1").send())
          .isInstanceOf(RunsException.ServerFailed.class);
    }

    var waited = waits.stream().reduce(Duration.ZERO, Duration::plus);
    assertThat(waited).isBetween(Duration.ofSeconds(52), Duration.ofSeconds(60));
  }

  @Test
  void readTimeoutLeavesTimeForARetry() {
    server.enqueue(stalled());
    server.enqueue(json(200, RUN));
    try (var client = builder().options(it -> it.withReadTimeout(SHORT)).build()) {
      assertThat(client.runs().get("r1").send().runId()).isEqualTo("r1");
    }
  }

  @Test
  void theReadTimeoutLeavesACreationInDoubtAndUnrepeated() {
    server.enqueue(stalled());
    try (var client = builder().options(it -> it.withReadTimeout(SHORT)).build()) {
      var failure =
          catchThrowableOfType(
              RunsException.TimedOut.class,
              () -> client.runs().create(CreateRun.of("fix it")).send());

      assertThat(failure.mayHaveHappened()).isTrue();
    }
    assertThat(server.getRequestCount()).isOne();
  }

  @Test
  void connectTimeoutEndsAnUnacceptedConnection() throws Exception {
    var waiting = new ArrayList<SocketChannel>();
    try (var full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      for (int i = 0; i < 8; i++) {
        var channel = SocketChannel.open();
        channel.configureBlocking(false);
        channel.connect(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), full.getLocalPort()));
        waiting.add(channel);
      }
      try (var client =
          builder()
              .baseUrl(URI.create("http://127.0.0.1:" + full.getLocalPort() + "/api/v1"))
              .options(it -> it.withConnectTimeout(SHORT))
              .maxRetries(0)
              .build()) {
        var failure =
            catchThrowableOfType(
                RunsException.ConnectionFailed.class,
                () -> client.runs().create(CreateRun.of("fix it")).send());

        assertThat(failure)
            .hasMessage("Could not create a run: the run service could not be reached in time");
        assertThat(failure.wasSent()).isFalse();
        assertThat(failure.mayHaveHappened()).isFalse();
      }
    } finally {
      for (var channel : waiting) {
        channel.close();
      }
    }
  }

  @Test
  void hugeTimeoutsCauseNoOverflow() {
    var endless = Duration.ofSeconds(Long.MAX_VALUE);
    server.enqueue(json(200, RUN));
    try (var client =
        builder()
            .deadline(endless)
            .options(it -> it.withReadTimeout(endless).withConnectTimeout(endless))
            .build()) {
      assertThat(client.runs().get("r1").send().runId()).isEqualTo("r1");
    }
  }

  static MockResponse stalled() {
    return new MockResponse.Builder().onResponseStart(SocketEffect.Stall.INSTANCE).build();
  }

  private void timesOut() {
    try (var client = builder().build()) {
      assertThatThrownBy(
              () -> client.runs().get("r1").withOptions(it -> it.withDeadline(SHORT)).send())
          .isInstanceOf(RunsException.TimedOut.class)
          .hasMessage("Could not read run r1: the run service did not answer in time");
    }
  }
}
