package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.runnel.wire.CreateRun;
import dev.runnel.wire.FollowUpMessage;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import mockwebserver3.MockResponse;
import mockwebserver3.SocketEffect;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What is asked again, after which wait, and what never is.
@Timeout(30)
class RepeatingTest extends ClientFixture {
  private static final CreateRun FIX_IT = CreateRun.of("fix it");

  @Nested
  class AReading {
    @ParameterizedTest
    @ValueSource(ints = {408, 409, 429, 500, 503})
    void readIsRetriedAfterATransientStatus(int status) {
      server.enqueue(problem(status, "internal_error"));
      server.enqueue(json(200, RUN));

      assertThat(get()).isEqualTo("r1");
      assertThat(server.getRequestCount()).isEqualTo(2);
    }

    @Test
    void readIsRetriedAfterAConnectionReset() {
      server.enqueue(reset());
      server.enqueue(reset());
      server.enqueue(json(200, RUN));

      assertThat(get()).isEqualTo("r1");
    }

    @Test
    void readIsRetriedAfterATruncatedBody() {
      server.enqueue(
          answer(200, RUN, "application/json")
              .onResponseBody(new SocketEffect.CloseSocket())
              .build());
      server.enqueue(json(200, RUN));

      assertThat(get()).isEqualTo("r1");
    }

    @Test
    void readFailsAfterTheLastRetry() {
      for (int i = 0; i < 3; i++) {
        server.enqueue(problem(500, "internal_error"));
      }

      assertThatThrownBy(RepeatingTest.this::get).isInstanceOf(RunsException.ServerFailed.class);
      assertThat(server.getRequestCount()).isEqualTo(3);
      assertThat(waits).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({
      "500, environment_setup_failed, ''",
      "500, internal_error, ', \"retryable\": false'",
      "400, invalid_request, ''",
      "404, resource_not_found, ''",
    })
    void readIsNotRetriedAfterAPermanentFailure(int status, String code, String members) {
      server.enqueue(problem(status, code, members));

      assertThatThrownBy(RepeatingTest.this::get).isInstanceOf(RunsException.class);
      assertThat(server.getRequestCount()).isOne();
    }

    @Test
    void shouldRetryHeaderDecidesWhetherAReadIsRetried() {
      server.enqueue(shouldRetry(404, "true"));
      server.enqueue(shouldRetry(503, "false"));

      assertThatThrownBy(RepeatingTest.this::get).isInstanceOf(RunsException.ServerFailed.class);
      assertThat(server.getRequestCount()).isEqualTo(2);
    }
  }

  @Nested
  class ACreation {
    @ParameterizedTest
    @ValueSource(ints = {408, 500, 502, 503, 504})
    void creationIsNotRetriedIfItMayHaveHappened(int status) {
      server.enqueue(problem(status, "resource_unavailable", ", \"retryable\": true"));

      var failure = catchThrowableOfType(RunsException.class, RepeatingTest.this::create);

      assertThat(failure.mayHaveHappened()).isTrue();
      assertThat(server.getRequestCount()).isOne();
    }

    @Test
    void creationIsNotRetriedByTheHttpLibraryIfTheWaitIsZero() {
      server.enqueue(
          problem(503, "resource_unavailable").newBuilder().setHeader("Retry-After", "0").build());
      server.enqueue(json(200, CREATED));

      assertThatThrownBy(RepeatingTest.this::create).isInstanceOf(RunsException.ServerFailed.class);
      assertThat(server.getRequestCount()).isOne();
    }

    @Test
    void creationIsNotRetriedEvenIfTheServiceRequestsIt() {
      server.enqueue(shouldRetry(503, "true"));

      assertThatThrownBy(RepeatingTest.this::create).isInstanceOf(RunsException.ServerFailed.class);
      assertThat(server.getRequestCount()).isOne();
    }

    @Test
    void creationIsNotRetriedAfterALostResponse() {
      server.enqueue(reset());

      var failure = catchThrowableOfType(RunsException.class, RepeatingTest.this::create);

      assertThat(failure).isInstanceOf(RunsException.ConnectionFailed.class);
      assertThat(failure.mayHaveHappened()).isTrue();
      assertThat(server.getRequestCount()).isOne();
    }

    @Test
    void creationIsRetriedAfterATemporaryRefusal() {
      server.enqueue(problem(429, "resource_unavailable"));
      server.enqueue(json(200, CREATED));

      assertThat(create()).isEqualTo("r1");
      assertThat(server.getRequestCount()).isEqualTo(2);
    }

    @Test
    void creationIsRetriedIfTheConnectionIsRefused() throws Exception {
      int port;
      try (var closed = new ServerSocket(0)) {
        port = closed.getLocalPort();
      }
      try (var client =
          builder().baseUrl(URI.create("http://127.0.0.1:" + port + "/api/v1")).build()) {
        var failure =
            catchThrowableOfType(
                RunsException.ConnectionFailed.class, () -> client.runs().create(FIX_IT).send());

        assertThat(failure)
            .hasMessage("Could not create a run: the run service could not be reached");
        assertThat(failure.mayHaveHappened()).isFalse();
        assertThat(waits).hasSize(2);
      }
    }

    @Test
    void followUpIsNotRetriedAfterAServerError() {
      server.enqueue(problem(503, "resource_unavailable"));
      try (var client = builder().build()) {
        assertThatThrownBy(() -> client.runs().followUp("r1", FollowUpMessage.of("go on")).send())
            .isInstanceOf(RunsException.ServerFailed.class);
      }
      assertThat(server.getRequestCount()).isOne();
    }
  }

  @Test
  void cancelIsRetriedBecauseItIsIdempotent() {
    server.enqueue(reset());
    server.enqueue(problem(409, "conflict", ", \"retryable\": true"));
    server.enqueue(json(200, "\"r1\""));
    try (var client = builder().build()) {
      assertThat(client.runs().cancel("r1").send()).isEqualTo("r1");
    }
  }

  @Nested
  class Waits {
    @ParameterizedTest
    @CsvSource({
      "retry-after-ms, 1500,                          1500",
      "retry-after-ms, 0.5,                           0.5",
      "Retry-After,    2,                             2000",
      "Retry-After,    1.25,                          1250",
      "Retry-After,    60,                            60000",
      "Retry-After,    'Mon, 05 Jan 2026 09:00:07 GMT', 7000",
      "Retry-After,    0,                             500",
      "Retry-After,    -3,                            500",
      "Retry-After,    61,                            500",
      "Retry-After,    86400,                         500",
      "Retry-After,    NaN,                           500",
      "Retry-After,    1e3,                           500",
      "Retry-After,    soon,                          500",
      "Retry-After,    'Mon, 05 Jan 2026 08:59:00 GMT', 500",
      "Retry-After,    'Tue, 06 Jan 2026 09:00:00 GMT', 500",
    })
    void retryDelayFollowsTheServiceWithinLimits(String header, String value, double millis) {
      server.enqueue(
          problem(429, "resource_unavailable").newBuilder().setHeader(header, value).build());
      server.enqueue(json(200, RUN));

      try (var client = builder().deadline(Duration.ofMinutes(2)).build()) {
        client.runs().get("r1").send();
      }

      assertThat(waits).containsExactly(Duration.ofNanos(Math.round(millis * 1_000_000)));
    }

    @Test
    void retryDelayDoublesUpToEightSeconds() {
      for (int i = 0; i < 7; i++) {
        server.enqueue(problem(500, "internal_error"));
      }
      try (var client = builder().maxRetries(6).build()) {
        assertThatThrownBy(() -> client.runs().get("r1").send()).isInstanceOf(RunsException.class);
      }

      assertThat(waits)
          .extracting(Duration::toMillis)
          .containsExactly(500L, 1000L, 2000L, 4000L, 8000L, 8000L);
    }

    @Test
    void retryWaitsAreRandomized() {
      server.enqueue(problem(500, "internal_error"));
      server.enqueue(json(200, RUN));
      try (var client = builder().random(() -> -1L).build()) {
        client.runs().get("r1").send();
      }

      assertThat(waits).containsExactly(Duration.ofMillis(375));
    }

    @Test
    void retryWaitDoesNotBeginIfItWouldExceedTheDeadline() {
      server.enqueue(
          problem(429, "resource_unavailable").newBuilder().setHeader("Retry-After", "30").build());
      try (var client = builder().deadline(Duration.ofSeconds(5)).build()) {
        var failure =
            catchThrowableOfType(RunsException.class, () -> client.runs().get("r1").send());

        assertThat(failure).isInstanceOf(RunsException.TooMany.class);
        assertThat(failure.retryAfter()).contains(Duration.ofSeconds(30));
      }
      assertThat(waits).isEmpty();
    }

    @Test
    void retryDelayEndsAtAnInterrupt() {
      server.enqueue(problem(500, "internal_error"));
      try (var client =
          builder()
              .time(
                  new TestTime(NOW) {
                    @Override
                    public void sleep(Duration time) throws InterruptedException {
                      throw new InterruptedException();
                    }
                  })
              .build()) {
        assertThatThrownBy(() -> client.runs().get("r1").send())
            .isInstanceOf(RunsException.Interrupted.class);
        assertThat(Thread.interrupted()).isTrue();
      }
    }
  }

  private static MockResponse shouldRetry(int status, String value) {
    return problem(status, "x").newBuilder().setHeader("x-should-retry", value).build();
  }

  private String get() {
    try (var client = builder().build()) {
      return client.runs().get("r1").send().runId();
    }
  }

  private String create() {
    try (var client = builder().build()) {
      return client.runs().create(FIX_IT).send().runId();
    }
  }
}
