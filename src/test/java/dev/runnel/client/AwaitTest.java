package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.wire.RunItem;
import dev.runnel.wire.RunStateValue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import mockwebserver3.MockResponse;
import mockwebserver3.SocketEffect;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Waiting for a run, and making sure that it is over.
@Timeout(30)
class AwaitTest extends ClientFixture {
  private static final String LINK = ", \"session_link\": \"https://runs.example/s/1\"";

  private RunsClient client;

  @BeforeEach
  void build() {
    client = builder().maxRetries(0).build();
  }

  @AfterEach
  void close() {
    client.close();
  }

  @Nested
  class Waits {
    @ParameterizedTest
    @ValueSource(strings = {"SUCCEEDED", "FAILED", "ERROR", "CANCELLED", "BLOCKED"})
    void awaitReturnsWhenTheRunEndsOrIsBlocked(String state) {
      states("QUEUED", "PENDING", "CLAIMED", "INPROGRESS", state);

      assertThat(client.runs().await("r1").send().state()).isEqualTo(new RunStateValue(state));
      assertThat(server.getRequestCount()).isEqualTo(5);
    }

    @Test
    void awaitContinuesThroughBlockedStatesOnRequest() {
      states("BLOCKED", "INPROGRESS", "SUCCEEDED");

      var run = client.runs().await("r1", WaitOptions.USUAL.untilEnded()).send();

      assertThat(run.state()).isEqualTo(RunStateValue.SUCCEEDED);
    }

    @Test
    void awaitContinuesThroughUnknownStates() {
      states("DREAMING", "SUCCEEDED");

      assertThat(client.runs().await("r1").send().state()).isEqualTo(RunStateValue.SUCCEEDED);
    }

    @Test
    void awaitContinuesThroughTemporaryFailures() {
      server.enqueue(reset());
      server.enqueue(problem(500, "internal_error"));
      server.enqueue(problem(429, "resource_unavailable"));
      server.enqueue(json(200, "<html>Log in</html>"));
      states("SUCCEEDED");

      assertThat(client.runs().await("r1").send().state()).isEqualTo(RunStateValue.SUCCEEDED);
    }

    @Test
    void awaitFailsOnAPermanentError() {
      server.enqueue(problem(404, "resource_not_found"));

      assertThatThrownBy(() -> client.runs().await("r1").send())
          .isInstanceOf(RunsException.NotFound.class);
    }

    @Test
    void awaitPollsLessOftenWhileNothingChanges() {
      for (int look = 0; look < 12; look++) {
        states("INPROGRESS");
      }
      states("SUCCEEDED");

      client.runs().await("r1").send();

      assertThat(waits.getFirst()).isEqualTo(Duration.ofSeconds(1));
      assertThat(waits).isSorted();
      assertThat(waits.getLast()).isEqualTo(Duration.ofSeconds(15));
    }

    @Test
    void awaitEndsAtTheDeadline() {
      for (int look = 0; look < 9; look++) {
        states("INPROGRESS");
      }

      assertThatThrownBy(
              () ->
                  client
                      .runs()
                      .await("r1", WaitOptions.USUAL.atMost(Duration.ofSeconds(10)))
                      .send())
          .isInstanceOf(RunsException.TimedOut.class)
          .hasMessage("Could not wait for run r1: it has not finished after PT10S");
      assertThat(waits.stream().reduce(Duration.ZERO, Duration::plus))
          .isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void awaitReportsEachChangeOnce() {
      states("QUEUED", "QUEUED", "INPROGRESS", "INPROGRESS", "SUCCEEDED");
      var seen = new ArrayList<RunStateValue>();

      client.runs().await("r1", WaitOptions.USUAL.onProgress(run -> seen.add(run.state()))).send();

      assertThat(seen)
          .containsExactly(RunStateValue.QUEUED, RunStateValue.INPROGRESS, RunStateValue.SUCCEEDED);
    }

    @Test
    void awaitWaitsForALateSessionLink() {
      server.enqueue(json(200, run("SUCCEEDED", "")));
      server.enqueue(problem(500, "internal_error"));
      states("SUCCEEDED");

      assertThat(client.runs().await("r1").send().sessionLink())
          .isEqualTo("https://runs.example/s/1");
    }

    @Test
    void awaitStopsWaitingForALinkThatNeverAppears() {
      for (int look = 0; look < 6; look++) {
        server.enqueue(json(200, run("FAILED", "")));
      }

      assertThat(client.runs().await("r1").send().sessionLink()).isNull();
      assertThat(waits).hasSize(5).containsOnly(Duration.ofSeconds(1));
    }

    @Test
    void awaitWaitsForTheNextEndOfAReopenedRun() {
      server.enqueue(json(200, run("SUCCEEDED", LINK)));
      server.enqueue(json(200, run("SUCCEEDED", LINK)));
      server.enqueue(json(200, run("INPROGRESS", LINK)));
      server.enqueue(json(200, run("SUCCEEDED", LINK).replace("T09:00:00Z", "T09:05:00Z")));
      var before = client.runs().get("r1").send();

      var after = client.runs().await("r1", WaitOptions.USUAL.after(before)).send();

      assertThat(after.updatedAt()).isAfter(before.updatedAt());
    }

    @Test
    void awaitEndsAtAnInterrupt() throws Exception {
      var patient = builder().time(Time.SYSTEM).build();
      states("INPROGRESS");
      var failure = new CompletableFuture<Throwable>();
      var thread =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      patient.runs().await("r1").send();
                    } catch (RunsException interrupted) {
                      failure.complete(interrupted);
                    }
                  });
      server.takeRequest();
      thread.interrupt();

      assertThat(failure.get(10, TimeUnit.SECONDS)).isInstanceOf(RunsException.Interrupted.class);
      patient.close();
    }

    @Test
    void awaitFailsWhenTheClientIsClosed() {
      states("INPROGRESS");
      var how = WaitOptions.USUAL.onProgress(_ -> client.close());

      assertThatThrownBy(() -> client.runs().await("r1", how).send())
          .isInstanceOf(RunsException.ConnectionFailed.class);
    }

    @Test
    void awaitEndsAtTheDeadlineDuringAResponse() {
      var patient = builder().time(Time.SYSTEM).build();
      server.enqueue(stalled());
      server.enqueue(stalled());

      assertThatThrownBy(
              () ->
                  patient
                      .runs()
                      .await("r1", WaitOptions.USUAL.atMost(Duration.ofMillis(200)))
                      .send())
          .isInstanceOf(RunsException.TimedOut.class)
          .hasMessage("Could not wait for run r1: it has not finished after PT0.2S");
      patient.close();
    }

    @Test
    void awaitObeysTheRetryAfterOfAFullService() {
      server.enqueue(retryAfter("90"));
      states("SUCCEEDED");

      client.runs().await("r1").send();

      assertThat(waits).containsExactly(Duration.ofSeconds(90));
    }

    @Test
    void awaitRecognizesANewEndDespiteAnEqualTimestamp() {
      states("BLOCKED", "BLOCKED", "INPROGRESS", "SUCCEEDED");
      var before = client.runs().get("r1").send();
      var how = WaitOptions.USUAL.after(before).atMost(Duration.ofSeconds(20));

      assertThat(client.runs().await("r1", how).send().state()).isEqualTo(RunStateValue.SUCCEEDED);
    }

    @Test
    void awaitAlsoWorksAsynchronously() throws Exception {
      states("INPROGRESS", "SUCCEEDED");

      RunItem run = client.runs().await("r1").sendAsync().get(10, TimeUnit.SECONDS);

      assertThat(run.state()).isEqualTo(RunStateValue.SUCCEEDED);
    }
  }

  @Nested
  class ACancellation {
    @Test
    void cancellationReadsTheRunUntilItHasEnded() {
      server.enqueue(json(200, "\"r1\""));
      states("INPROGRESS");
      server.enqueue(problem(400, "invalid_request"));
      states("CANCELLED");

      assertThat(client.runs().ensureCancelled("r1").send().state())
          .isEqualTo(RunStateValue.CANCELLED);
    }

    @Test
    void cancellationWaitsWhileTheRunIsBeingPrepared() {
      server.enqueue(
          problem(409, "conflict", ", \"retryable\": true")
              .newBuilder()
              .setHeader("Retry-After", "2")
              .build());
      states("PENDING");
      server.enqueue(json(200, "\"r1\""));
      states("CANCELLED");

      client.runs().ensureCancelled("r1").send();

      assertThat(waits).containsExactly(Duration.ofSeconds(2));
    }

    @Test
    void cancellationSucceedsIfTheRunHadEnded() {
      server.enqueue(problem(400, "invalid_request"));
      states("SUCCEEDED");

      assertThat(client.runs().ensureCancelled("r1").send().state())
          .isEqualTo(RunStateValue.SUCCEEDED);
    }

    @Test
    void cancellationIsRepeatedIfItsResponseIsLost() {
      server.enqueue(reset());
      states("INPROGRESS");
      server.enqueue(problem(500, "internal_error"));
      server.enqueue(reset());
      server.enqueue(json(200, "\"r1\""));
      states("CANCELLED");

      client.runs().ensureCancelled("r1").send();

      assertThat(server.getRequestCount()).isEqualTo(6);
    }

    @Test
    void cancellationFailsIfTheRunIsBlocked() {
      server.enqueue(problem(400, "invalid_request"));
      states("BLOCKED");

      assertThatThrownBy(() -> client.runs().ensureCancelled("r1").send())
          .isInstanceOf(RunsException.BadRequest.class);
    }

    @Test
    void cancellationFailsIfThisKindOfRunCannotBeCancelled() {
      server.enqueue(problem(422, "operation_not_supported"));
      states("INPROGRESS");

      assertThatThrownBy(() -> client.runs().ensureCancelled("r1").send())
          .isInstanceOf(RunsException.Unprocessable.class);
    }

    @Test
    void cancellationSucceedsIfAnUncancellableRunHadEnded() {
      server.enqueue(problem(422, "operation_not_supported"));
      states("SUCCEEDED");

      assertThat(client.runs().ensureCancelled("r1").send().state())
          .isEqualTo(RunStateValue.SUCCEEDED);
    }

    @Test
    void cancellationTimesOutAtItsDeadline() {
      for (int look = 0; look < 4; look++) {
        server.enqueue(problem(409, "conflict"));
        states("PENDING");
      }

      assertThatThrownBy(
              () ->
                  client
                      .runs()
                      .ensureCancelled("r1", WaitOptions.USUAL.atMost(Duration.ofSeconds(3)))
                      .send())
          .isInstanceOf(RunsException.TimedOut.class);
    }
  }

  private static MockResponse stalled() {
    return new MockResponse.Builder().onResponseStart(SocketEffect.Stall.INSTANCE).build();
  }

  private static MockResponse retryAfter(String seconds) {
    return problem(429, "resource_unavailable")
        .newBuilder()
        .setHeader("Retry-After", seconds)
        .build();
  }

  private void states(String... states) {
    for (var state : states) {
      server.enqueue(json(200, run(state, LINK)));
    }
  }

  private String run(String state, String more) {
    return """
    {"run_id": "r1", "state": "%s", "updated_at": "2026-01-05T09:00:00Z", "run_time": "%s"%s}
    """
        .formatted(state, runTime(), more);
  }
}
