package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.runnel.wire.CreateRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import mockwebserver3.MockResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The eight steps of a retry, and what is told of each attempt.
@Timeout(30)
class RetriesTest extends ClientFixture {
  private static final CreateRun FIX_IT = CreateRun.of("fix it");

  @Test
  void shouldRetryHeaderOverridesTheStatus() {
    server.enqueue(header(problem(404, "resource_not_found"), "x-should-retry", "true"));
    server.enqueue(header(problem(503, "internal_error"), "x-should-retry", "false"));

    assertThat(failure().status()).hasValue(503);
    assertThat(server.getRequestCount()).isEqualTo(2);
  }

  @Test
  void temporaryStatusesAndLostConnectionsAreRetried() {
    for (var status : List.of(408, 409, 429, 500, 502, 503, 504, 529)) {
      server.enqueue(problem(status, "x"));
    }
    server.enqueue(reset());
    server.enqueue(json(200, RUN));
    try (var client = builder().maxRetries(9).deadline(Duration.ofHours(1)).build()) {
      assertThat(client.runs().get("r1").withRawResponse().send().attempts()).isEqualTo(10);
    }
  }

  @Test
  void defaultIsTwoRetries() {
    for (int i = 0; i < 4; i++) {
      server.enqueue(problem(500, "internal_error"));
    }

    assertThat(failure()).isInstanceOf(RunsException.ServerFailed.class);
    assertThat(server.getRequestCount()).isEqualTo(3);
  }

  @Test
  void permanentStatusesAreNotRetried() {
    for (var status : List.of(400, 401, 402, 403, 404, 405, 410, 418, 422)) {
      server.enqueue(problem(status, "x"));
      assertThat(failure().status()).hasValue(status);
    }
    assertThat(server.getRequestCount()).isEqualTo(9);
    assertThat(waits).isEmpty();
  }

  @Test
  void retryDelayHeadersAreReadAsMillisecondsSecondsOrADate() {
    server.enqueue(header(header(busy(), "retry-after-ms", "120"), "Retry-After", "7"));
    server.enqueue(header(busy(), "Retry-After", "1.5"));
    // The clock went on by the waits before.
    server.enqueue(header(busy(), "Retry-After", "Mon, 05 Jan 2026 09:00:05 GMT"));
    server.enqueue(json(200, RUN));
    try (var client = builder().maxRetries(3).build()) {
      client.runs().get("r1").send();
    }

    assertThat(waits)
        .extracting(Duration::toMillis)
        .containsExactly(120L, 1500L, 5000L - 1500 - 120);
  }

  @Test
  void invalidRetryDelayIsReplacedByTheDefault() {
    for (var wait : List.of("0", "-1", "86400", "soon", "Mon, 05 Jan 2026 08:00:00 GMT")) {
      server.enqueue(header(busy(), "Retry-After", wait));
    }
    server.enqueue(json(200, RUN));
    try (var client = builder().maxRetries(5).build()) {
      client.runs().get("r1").send();
    }

    assertThat(waits)
        .extracting(Duration::toMillis)
        .containsExactly(500L, 1000L, 2000L, 4000L, 8000L);
  }

  @Test
  void retryDelayDoublesMinusARandomQuarter() {
    for (int i = 0; i < 6; i++) {
      server.enqueue(problem(500, "internal_error"));
    }
    try (var client = builder().random(() -> -1L).maxRetries(5).build()) {
      assertThatThrownBy(() -> client.runs().get("r1").send()).isInstanceOf(RunsException.class);
    }

    assertThat(waits)
        .extracting(Duration::toMillis)
        .containsExactly(375L, 750L, 1500L, 3000L, 6000L);
  }

  @Test
  void theNumberOfTheRetryIsSent() throws Exception {
    server.enqueue(busy());
    server.enqueue(busy());
    server.enqueue(json(200, RUN));
    try (var client = builder().build()) {
      client.runs().get("r1").send();
    }

    for (var number : List.of("0", "1", "2")) {
      assertThat(server.takeRequest().getHeaders().values("X-Stainless-Retry-Count"))
          .containsExactly(number);
    }
  }

  @Test
  void interruptEndsARealRetryDelay() throws Exception {
    server.enqueue(header(busy(), "Retry-After", "60"));
    try (var client = builder().time(Time.SYSTEM).deadline(Duration.ofMinutes(5)).build()) {
      var future = client.runs().get("r1").sendAsync();
      server.takeRequest();
      future.cancel(true);
      var caller = new Caller(() -> client.runs().get("r2").send());
      server.enqueue(header(busy(), "Retry-After", "60"));
      server.takeRequest();
      caller.thread.interrupt();

      assertThat(caller.failure()).isInstanceOf(RunsException.Interrupted.class);
    }
  }

  @Test
  void retryableFalseAndFinalErrorCodesPreventARetry() {
    server.enqueue(problem(500, "internal_error", ", \"retryable\": false"));
    assertThat(failure().retryable()).isFalse();
    server.enqueue(problem(500, "environment_setup_failed"));
    assertThat(failure().retryable()).isFalse();
    server.enqueue(problem(500, "https://x.example/errors/agent-process-failed/"));
    assertThat(failure().retryable()).isFalse();
    assertThat(server.getRequestCount()).isEqualTo(3);
  }

  @Test
  void aCreationIsOnlyRepeatedWhenItHadNoEffect() {
    server.enqueue(busy());
    server.enqueue(problem(503, "resource_unavailable", ", \"retryable\": true"));
    server.enqueue(json(200, CREATED));
    try (var client = builder().build()) {
      var failure =
          catchThrowableOfType(RunsException.class, () -> client.runs().create(FIX_IT).send());

      assertThat(failure.status()).hasValue(503);
      assertThat(failure.mayHaveHappened()).isTrue();
    }
    assertThat(server.getRequestCount()).isEqualTo(2);
  }

  @Test
  void theHttpLibraryRepeatsNothingByItself() {
    server.enqueue(header(problem(503, "resource_unavailable"), "Retry-After", "0"));
    server.enqueue(json(200, RUN));
    try (var client = builder().maxRetries(0).build()) {
      assertThatThrownBy(() -> client.runs().get("r1").send())
          .isInstanceOf(RunsException.ServerFailed.class);
      assertThat(server.getRequestCount()).isOne();
    }
  }

  @Test
  void hugeRetryDelayCausesNoOverflow() {
    server.enqueue(header(problem(503, "resource_unavailable"), "Retry-After", "99999999999999"));
    try (var client = builder().maxRetries(0).build()) {
      assertThatThrownBy(() -> client.runs().get("r1").send())
          .isInstanceOf(RunsException.ServerFailed.class);
    }
  }

  @Test
  void uncertainOutcomeStaysUncertainAfterLaterAttempts() {
    server.enqueue(reset());
    server.enqueue(problem(403, "not_authorized"));
    try (var client = builder().build()) {
      var refused =
          catchThrowableOfType(RunsException.class, () -> client.runs().cancel("r1").send());
      assertThat(refused).isInstanceOf(RunsException.Forbidden.class);
      assertThat(refused.mayHaveHappened()).isTrue();

      server.enqueue(problem(500, "internal_error"));
      var cancelling = client.runs().cancel("r1");
      try (var closing = builder().onAttempt(_ -> server.close()).build()) {
        var lost =
            catchThrowableOfType(
                RunsException.ConnectionFailed.class, () -> closing.runs().cancel("r1").send());
        assertThat(lost.wasSent()).isTrue();
        assertThat(lost.mayHaveHappened()).isTrue();
      }
      var unsent = catchThrowableOfType(RunsException.ConnectionFailed.class, cancelling::send);
      assertThat(unsent.mayHaveHappened()).isFalse();
    }
  }

  @Test
  void attemptListenerReceivesTheDetailsOfEachAttempt() {
    var attempts = new ArrayList<Attempt>();
    server.enqueue(reset());
    server.enqueue(busy());
    server.enqueue(json(200, RUN));
    try (var client = builder().onAttempt(attempts::add).build()) {
      client.runs().get("r1").withOptions(it -> it.withQuery("secret", "x")).send();
    }

    assertThat(attempts).extracting(Attempt::number).containsExactly(1, 2, 3);
    assertThat(attempts)
        .allSatisfy(
            it -> {
              assertThat(it.action()).isEqualTo("read run r1");
              assertThat(it.method()).isEqualTo("GET");
              assertThat(it.path()).isEqualTo("/api/v1/agent/runs/r1");
              assertThat(it.elapsed()).isZero();
            });
    assertThat(attempts)
        .extracting(Attempt::status)
        .containsExactly(OptionalInt.empty(), OptionalInt.of(429), OptionalInt.of(200));
    assertThat(attempts.get(0).failure()).get().isInstanceOf(RunsException.ConnectionFailed.class);
    assertThat(attempts.get(0).next()).contains(Duration.ofMillis(500));
    assertThat(attempts.get(1).failure()).get().isInstanceOf(RunsException.TooMany.class);
    assertThat(attempts.get(1).next()).contains(Duration.ofSeconds(1));
    assertThat(attempts.get(2).failure()).isEmpty();
    assertThat(attempts.get(2).next()).isEmpty();
  }

  @Test
  void failingObserverDoesNotAffectTheCall() {
    var told = new ArrayList<Integer>();
    server.enqueue(busy());
    server.enqueue(json(200, RUN));
    try (var client =
        builder()
            .onAttempt(
                _ -> {
                  throw new IllegalStateException("broken");
                })
            .onAttempt(it -> told.add(it.number()))
            .build()) {
      assertThat(client.runs().get("r1").send().runId()).isEqualTo("r1");
    }
    assertThat(told).containsExactly(1, 2);
  }

  private RunsException failure() {
    try (var client = builder().build()) {
      return catchThrowableOfType(RunsException.class, () -> client.runs().get("r1").send());
    }
  }

  private static MockResponse busy() {
    return problem(429, "resource_unavailable");
  }

  static MockResponse header(MockResponse response, String name, String value) {
    return response.newBuilder().setHeader(name, value).build();
  }
}
