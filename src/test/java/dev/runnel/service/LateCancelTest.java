package dev.runnel.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.database.Database;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.store.ServiceTables;
import dev.runnel.testkit.MigratedFile;
import dev.runnel.testkit.RunChanges;
import dev.runnel.testkit.SettableClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A cancellation that was asked for before the end, and that the rows hear of after it.
class LateCancelTest {
  private final SettableClock clock = new SettableClock();
  private Database database;
  private RunChanges changes;
  private String claim = "";

  @BeforeEach
  void open(@TempDir Path folder) {
    database = MigratedFile.open(folder.resolve("agent-runs.db"), ServiceTables.ON_SQLITE);
    changes = RunChanges.on(database, clock);
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void lateCancelIsAcceptedIfTheRunWasCancelledMeanwhile() {
    var run = working();
    var asked = clock.instant();
    clock.advance(Duration.ofMillis(1));
    assertThat(changes.runs().cancel(run, false, asked)).containsExactly(run);
    changes.records().finish(claim, ExecutionResult.cancelled());

    assertThat(changes.runs().cancel(run, false, asked)).isEmpty();
  }

  @Test
  void repeatedCancelOfAQueuedRunIsAccepted() {
    var run = created();
    var asked = clock.instant();
    assertThat(changes.runs().cancel(run, false, asked)).isEmpty();

    assertThat(changes.runs().cancel(run, false, asked)).isEmpty();
  }

  @Test
  void cancelOfARunThatIsAlreadyCancelledIsRefused() {
    var run = working();
    changes.runs().cancel(run, false, clock.instant());
    changes.records().finish(claim, ExecutionResult.cancelled());
    clock.advance(Duration.ofMillis(1));

    assertThatThrownBy(() -> changes.runs().cancel(run, false, clock.instant()))
        .hasMessage("The run has already ended");
  }

  @Test
  void lateCancelIsRefusedIfTheRunSucceededMeanwhile() {
    var run = working();
    var asked = clock.instant();
    clock.advance(Duration.ofMillis(1));
    changes.records().finish(claim, ExecutionResult.succeeded("Done."));

    assertThatThrownBy(() -> changes.runs().cancel(run, false, asked))
        .hasMessage("The run has already ended");
  }

  /// The request was authenticated before the cancellation.
  @Test
  void agentOfACancelledRunCannotStartAChild() {
    var run = working();
    var agent = new Caller("key", "agent", new Caller.Scope.Below(run));
    var child = NewRun.parse(ServiceJson.newObject().put("prompt", "x").put("parent_run_id", run));
    assertThat(changes.runs().create(child, agent, Optional.empty(), Optional.empty()))
        .isNotEmpty();
    changes.runs().cancel(run, false, clock.instant());

    assertThatThrownBy(
            () -> changes.runs().create(child, agent, Optional.empty(), Optional.empty()))
        .hasMessage("The run of this key has ended or is being ended");

    changes.records().finish(claim, ExecutionResult.cancelled());
    assertThatThrownBy(
            () -> changes.runs().create(child, agent, Optional.empty(), Optional.empty()))
        .hasMessage("The run of this key has ended or is being ended");
  }

  /// The request was authenticated before the cancellation, which does not reach a run that had
  /// ended.
  @Test
  void agentOfACancelledRunCannotContinueAnEndedChild() {
    var run = working();
    var agent = new Caller("key", "agent", new Caller.Scope.Below(run));
    var child = createdBelow(run, agent);
    changes
        .records()
        .finish(
            changes.records().claimNext(1).orElseThrow().claim(),
            ExecutionResult.succeeded("Done."));
    changes.runs().cancel(run, false, clock.instant());

    assertThatThrownBy(
            () ->
                changes
                    .runs()
                    .followUp(child, "go on", agent, Optional.empty(), false, Optional.empty()))
        .hasMessage("The run of this key has ended or is being ended");
    assertThat(changes.records().claimNext(1)).isEmpty();
  }

  private String createdBelow(String parent, Caller agent) {
    var asked =
        NewRun.parse(ServiceJson.newObject().put("prompt", "x").put("parent_run_id", parent));
    return ServiceJson.read(changes.runs().create(asked, agent, Optional.empty(), Optional.empty()))
        .get("run_id")
        .asText();
  }

  private String working() {
    var run = created();
    claim = changes.records().claimNext(0).orElseThrow().claim();
    return run;
  }

  private String created() {
    var asked = NewRun.parse(ServiceJson.newObject().put("prompt", "x"));
    return ServiceJson.read(
            changes.runs().create(asked, Caller.MAIN, Optional.empty(), Optional.empty()))
        .get("run_id")
        .asText();
  }
}
