package dev.runnel.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.database.Database;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.testkit.MigratedFile;
import dev.runnel.testkit.RunChanges;
import dev.runnel.testkit.SettableClock;
import dev.runnel.wire.RunMode;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The outcome of a follow-up is what becomes of it.
class FollowUpOutcomeTest {
  private static final String LIVE_SESSION = "live_session";
  private static final String QUEUE_PENDING = "queue_pending";

  private final SettableClock clock = new SettableClock();
  private Database database;
  private RunChanges changes;
  private ExecutionRequest execution;

  @BeforeEach
  void open(@TempDir Path folder) {
    database = MigratedFile.open(folder.resolve("agent-runs.db"), ServiceTables.ON_SQLITE);
    changes = RunChanges.on(database, clock);
    execution = begin(RunMode.NORMAL);
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void aMessageThatTheWorkingAgentIsOfferedIsOneOfTheLiveSession() {
    launch();

    assertThat(say("a")).isEqualTo(LIVE_SESSION);
    assertThat(say("b", Optional.of(RunMode.NORMAL), false)).isEqualTo(LIVE_SESSION);
    assertThat(offered()).containsExactly("a", "b");
  }

  @Test
  void aMessageInAnotherModeWaitsAndSoDoThoseAfterIt() {
    launch();

    assertThat(say("a", Optional.of(RunMode.PLAN), false)).isEqualTo(QUEUE_PENDING);
    assertThat(say("b")).isEqualTo(QUEUE_PENDING);
    assertThat(offered()).isEmpty();
    assertThat(next().mode()).isEqualTo(RunMode.PLAN);
  }

  @Test
  void aMessageInAnotherModeBeforeTheAgentIsLaunchedMakesThoseAfterItWait() {
    assertThat(say("a", Optional.of(RunMode.PLAN), false)).isEqualTo(QUEUE_PENDING);
    launch();

    assertThat(say("b")).isEqualTo(QUEUE_PENDING);
    assertThat(offered()).isEmpty();
  }

  @Test
  void messageInAnotherModeWaitsThoughALaterOneReturnsToTheFirstMode() {
    launch();
    say("a", Optional.of(RunMode.PLAN), false);

    assertThat(say("b", Optional.of(RunMode.NORMAL), false)).isEqualTo(QUEUE_PENDING);
    assertThat(offered()).isEmpty();
  }

  @Test
  void aMessageAfterOneThatInterruptsWaits() {
    launch();

    assertThat(say("a", Optional.empty(), true)).isEqualTo(QUEUE_PENDING);
    assertThat(say("b")).isEqualTo(QUEUE_PENDING);
    assertThat(offered()).isEmpty();
  }

  @Test
  void aMessageToARunThatIsBeingCancelledWaits() {
    launch();
    changes.runs().cancel(execution.runId(), false, clock.instant());

    assertThat(say("a")).isEqualTo(QUEUE_PENDING);
    assertThat(offered()).isEmpty();
    assertThat(next().prompt()).isEqualTo("a");
  }

  @Test
  void aNoToAPlanStartsNoExecution() {
    changes.records().finish(execution.claim(), ExecutionResult.succeeded("Done."));
    execution = begin(RunMode.PLAN);
    launch();
    changes.records().finish(execution.claim(), ExecutionResult.blocked("Shall I?"));

    assertThat(say("no")).isEqualTo(LIVE_SESSION);
    assertThat(changes.records().claimNext(0)).isEmpty();
  }

  private ExecutionRequest begin(RunMode mode) {
    var request = ServiceJson.newObject().put("prompt", "x").put("mode", mode.value());
    changes.runs().create(NewRun.parse(request), Caller.MAIN, Optional.empty(), Optional.empty());
    var begun = changes.records().claimNext(0).orElseThrow();
    changes.records().begin(begun);
    return begun;
  }

  private void launch() {
    changes.records().launched(execution, 1, Optional.empty(), true);
  }

  /// The next execution, after the end of this one.
  private ExecutionRequest next() {
    changes.records().finish(execution.claim(), ExecutionResult.succeeded("Done."));
    return changes.records().claimNext(0).orElseThrow();
  }

  private String say(String message) {
    return say(message, Optional.empty(), false);
  }

  private String say(String message, Optional<RunMode> mode, boolean interrupts) {
    return ServiceJson.read(
            changes
                .runs()
                .followUp(
                    execution.runId(), message, Caller.MAIN, mode, interrupts, Optional.empty()))
        .path("outcome")
        .asText();
  }

  /// The messages that the working agent is offered.
  private List<String> offered() {
    return changes.records().offer(execution, (id, message) -> Optional.of(message)).stream()
        .map(ExecutionRecords.Offered::line)
        .toList();
  }
}
