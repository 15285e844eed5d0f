package dev.runnel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.run.Arrival;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Prompt;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunListing;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.AgentRuns;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// What the core relies on, whichever run service is behind the port.
///
/// A test class implements the abstract methods and inherits the tests. The service is fresh for
/// each test, or at least holds no runs of other tests that are still changing. What a real service
/// does in its own time is awaited.
public interface AgentRunsContract {
  /// The run service under test; the same within one test.
  AgentRuns runs();

  /// Makes the agent of an unfinished run get on, by whatever means the service has.
  ///
  /// @param state `RUNNING`, `BLOCKED`, `SUCCEEDED` or `FAILED`
  /// @param message what the agent says then
  void moves(RunId run, RunState state, String message);

  /// Makes the service unreachable for the rest of the test.
  void goesDown();

  @Test
  default void aStartedRunIsUnfinishedAndCarriesItsDelivery() {
    var key = newKey();

    var run = done(runs().start(prompt("Fix the test"), key));

    assertThat(run.title()).isEqualTo("Fix the test");
    assertThat(run.state().isTerminal()).isFalse();
    assertThat(run.delivery()).contains(key);
    assertThat(run.updatedAt()).isPresent();
    assertThat(done(runs().find(run.id())).id()).isEqualTo(run.id());
  }

  @Test
  default void aRunIsFoundByTheDeliveryItWasStartedWith() {
    var key = newKey();
    start();
    var run = done(runs().start(prompt("Fix the test"), key));
    start();

    assertThat(done(startedBy(runs(), key)).id()).isEqualTo(run.id());
  }

  @Test
  default void deliveryWithoutARunIsReportedAsMissing() {
    assertThat(startedBy(runs(), newKey())).isEqualTo(new Outcome.Missing());

    start();

    assertThat(startedBy(runs(), newKey())).isEqualTo(new Outcome.Missing());
  }

  @Test
  default void anUnknownRunIsMissing() {
    var unknown = new RunId(UUID.randomUUID().toString());

    assertThat(runs().find(unknown)).isEqualTo(new Outcome.Missing());
    assertThat(runs().followUp(unknown, "go on", newKey())).isEqualTo(new Outcome.Missing());
    assertThat(runs().cancel(unknown)).isEqualTo(new Outcome.Missing());
  }

  @Test
  default void agentMessageIsReadWithTheRunState() {
    var run = start();

    moves(run.id(), RunState.RUNNING, "Reading the code");
    awaitState(run.id(), RunState.RUNNING);
    moves(run.id(), RunState.BLOCKED, "Which branch?");
    awaitState(run.id(), RunState.BLOCKED);

    assertThat(done(runs().find(run.id())).message()).contains("Which branch?");
  }

  @Test
  default void followUpToAnUnfinishedRunIsAccepted() {
    var run = start();
    moves(run.id(), RunState.RUNNING, "Reading the code");
    awaitState(run.id(), RunState.RUNNING);

    var followed = done(runs().followUp(run.id(), "and the docs", newKey()));

    assertThat(followed.id()).isEqualTo(run.id());
    assertThat(followed.state().isTerminal()).isFalse();
  }

  @Test
  default void aFollowUpAnswersAQuestion() {
    var run = start();
    moves(run.id(), RunState.BLOCKED, "Which branch?");
    awaitState(run.id(), RunState.BLOCKED);

    done(runs().followUp(run.id(), "main", newKey()));

    await().until(() -> done(runs().find(run.id())).state() != RunState.BLOCKED);
  }

  @Test
  default void aFollowUpReopensTheSameRun() {
    var run = start();
    moves(run.id(), RunState.SUCCEEDED, "Fixed");
    awaitState(run.id(), RunState.SUCCEEDED);
    var ended = done(runs().find(run.id()));

    var followed = done(runs().followUp(run.id(), "now the docs", newKey()));

    assertThat(followed.id()).isEqualTo(run.id());
    await()
        .until(
            () -> {
              var now = done(runs().find(run.id()));
              return changeOf(now).isAfter(changeOf(ended));
            });
  }

  @Test
  default void followUpArrivalIsReportedOnlyAfterTheFollowUp() {
    var run = start();
    moves(run.id(), RunState.SUCCEEDED, "Fixed");
    awaitState(run.id(), RunState.SUCCEEDED);
    var ended = done(runs().find(run.id()));

    assertThat(runs().followUpArrival(ended, "now the docs", 0))
        .isNotInstanceOfAny(Arrival.Arrived.class, Arrival.Unavailable.class);
    done(runs().followUp(run.id(), "now the docs", newKey()));
    assertThat(runs().followUpArrival(ended, "now the docs", 0))
        .isInstanceOf(Arrival.Arrived.class);
  }

  @Test
  default void aCancelledRunEnds() {
    var run = start();
    moves(run.id(), RunState.RUNNING, "Reading the code");
    awaitState(run.id(), RunState.RUNNING);

    assertThat(done(runs().cancel(run.id())).id()).isEqualTo(run.id());

    awaitState(run.id(), RunState.CANCELLED);
  }

  @Test
  default void aRunThatWaitsForAnAnswerIsCancelled() {
    var run = start();
    moves(run.id(), RunState.BLOCKED, "Which branch?");
    awaitState(run.id(), RunState.BLOCKED);

    assertThat(done(runs().cancel(run.id())).state()).isEqualTo(RunState.CANCELLED);
  }

  @Test
  default void cancellingAnEndedRunReturnsItsFinalState() {
    var run = start();
    moves(run.id(), RunState.SUCCEEDED, "Fixed");
    awaitState(run.id(), RunState.SUCCEEDED);

    assertThat(done(runs().cancel(run.id())).state()).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  default void changesAreListedSinceATimeOfTheService() {
    var early = start();
    var mark = changeOf(early);
    var late = start();
    moves(late.id(), RunState.FAILED, "The tests are red");
    awaitState(late.id(), RunState.FAILED);

    assertThat(seen(runs().changedSince(mark.minusMillis(1))))
        .filteredOn(run -> run.id().equals(late.id()))
        .singleElement()
        .satisfies(
            run -> {
              assertThat(run.state()).isEqualTo(RunState.FAILED);
              assertThat(run.message()).contains("The tests are red");
            });
    var end = changeOf(done(runs().find(late.id()))).plusSeconds(60);
    assertThat(seen(runs().changedSince(end)))
        .extracting(Run::id)
        .doesNotContain(early.id(), late.id());
  }

  @Test
  default void unfinishedRunsAreListedAndEndedOnesAreNot() {
    var queued = start();
    var blocked = start();
    moves(blocked.id(), RunState.BLOCKED, "Which branch?");
    awaitState(blocked.id(), RunState.BLOCKED);
    var ended = start();
    moves(ended.id(), RunState.SUCCEEDED, "Fixed");
    awaitState(ended.id(), RunState.SUCCEEDED);

    assertThat(seen(runs().unfinished()))
        .extracting(Run::id)
        .contains(queued.id(), blocked.id())
        .doesNotContain(ended.id());
  }

  @Test
  default void everyCallIsUnavailableWhileTheServiceIsDown() {
    var run = start();

    goesDown();

    assertThat(runs().start(prompt("Fix the test"), newKey()))
        .isInstanceOf(Outcome.Unavailable.class);
    assertThat(startedBy(runs(), newKey())).isInstanceOf(Outcome.Unavailable.class);
    assertThat(runs().find(run.id())).isInstanceOf(Outcome.Unavailable.class);
    assertThat(runs().followUp(run.id(), "go on", newKey()))
        .isInstanceOf(Outcome.Unavailable.class);
    assertThat(runs().cancel(run.id())).isInstanceOf(Outcome.Unavailable.class);
    assertThat(runs().changedSince(Instant.EPOCH)).isInstanceOf(RunListing.Unavailable.class);
    assertThat(runs().unfinished()).isInstanceOf(RunListing.Unavailable.class);
  }

  static Prompt prompt(String title) {
    return new Prompt(title + ", please", title, RunOptions.NONE, Map.of());
  }

  static DeliveryId newKey() {
    return new DeliveryId("contract:" + UUID.randomUUID());
  }

  static Run done(Outcome outcome) {
    assertThat(outcome).isInstanceOf(Outcome.Done.class);
    return ((Outcome.Done) outcome).run();
  }

  static Outcome startedBy(AgentRuns runs, DeliveryId key) {
    return runs.findStarted(
        key, Instant.parse("2026-01-01T00:00:00Z"), Optional.of("Fix the test"));
  }

  static List<Run> seen(RunListing runListing) {
    assertThat(runListing).isInstanceOf(RunListing.Listed.class);
    return ((RunListing.Listed) runListing).runs();
  }

  private Run start() {
    return done(runs().start(prompt("Fix the test"), newKey()));
  }

  private void awaitState(RunId run, RunState state) {
    await().untilAsserted(() -> assertThat(done(runs().find(run)).state()).isEqualTo(state));
  }

  private static Instant changeOf(Run run) {
    return run.updatedAt().orElseThrow();
  }
}
