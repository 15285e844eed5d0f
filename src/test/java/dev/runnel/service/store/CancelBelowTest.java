package dev.runnel.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.database.Database;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.ExecutionState;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.testkit.MigratedFile;
import dev.runnel.testkit.RunChanges;
import dev.runnel.testkit.SettableClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a cancellation does to the runs below the cancelled run.
class CancelBelowTest {
  private final SettableClock clock = new SettableClock();
  private Database database;
  private RunQueries queries;
  private RunChanges changes;

  @BeforeEach
  void open(@TempDir Path folder) {
    database = MigratedFile.open(folder.resolve("agent-runs.db"), ServiceTables.ON_SQLITE);
    queries = new RunQueries(database);
    changes =
        RunChanges.on(
            database, clock, NodeMembership.alone(database, clock, 4), SlotLimits.DEFAULT);
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void cancelOfABlockedRunCancelsQueuedRunsBelowIt() {
    var root = created(Optional.empty());
    var working = claimed(0);
    var child = created(Optional.of(root));
    var grandchild = created(Optional.of(child));
    changes.records().finish(working.claim(), ExecutionResult.blocked("Which one?"));

    assertThat(changes.runs().cancel(root, true, clock.instant())).isEmpty();

    assertThat(Stream.of(root, child, grandchild).map(this::state))
        .containsOnly(ExecutionState.CANCELLED);
  }

  @Test
  void cancelOfAParentRequestsTheCancelOfItsWorkingChild() {
    var root = created(Optional.empty());
    claimed(0);
    var child = created(Optional.of(root));
    var working = claimed(1);

    assertThat(changes.runs().cancel(root, false, clock.instant())).containsExactly(root, child);

    assertThat(find(child).isCancelRequested()).isTrue();
    assertThat(changes.records().finish(working.claim(), ExecutionResult.succeeded("Done.")))
        .contains(ExecutionState.CANCELLED);
  }

  @Test
  void aRunBelowThatHasEndedKeepsItsResult() {
    var root = created(Optional.empty());
    var child = created(Optional.of(root));
    changes.records().finish(claimed(1).claim(), ExecutionResult.succeeded("Done."));

    changes.runs().cancel(root, false, clock.instant());

    assertThat(state(child)).isEqualTo(ExecutionState.SUCCEEDED);
  }

  @Test
  void aRepeatedCancellationCancelsARunBelowThatHasNotEnded() {
    var root = created(Optional.empty());
    var child = created(Optional.of(root));
    changes.runs().cancel(root, false, clock.instant());
    changes.runs().followUp(child, "go on", Caller.MAIN, Optional.empty(), false, Optional.empty());
    assertThat(state(child)).isEqualTo(ExecutionState.QUEUED);
    clock.advance(Duration.ofMinutes(1));

    assertThat(changes.runs().cancel(root, false, clock.instant())).isEmpty();

    assertThat(state(child)).isEqualTo(ExecutionState.CANCELLED);
  }

  @Test
  void theChangesOfOneCancellationHaveDifferentTimes() {
    var root = created(Optional.empty());
    var child = created(Optional.of(root));
    var before = queries.newestChange();

    changes.runs().cancel(root, false, clock.instant());

    assertThat(changedSince(before)).hasSize(2).doesNotHaveDuplicates();
    var newest = queries.newestChange();
    changes.runs().followUp(child, "go on", Caller.MAIN, Optional.empty(), false, Optional.empty());
    assertThat(changedSince(newest)).hasSize(1);
  }

  private List<Instant> changedSince(Instant since) {
    return queries.changedSince(since).stream().map(RunTable.Changed::at).toList();
  }

  private ExecutionState state(String run) {
    return find(run).state();
  }

  private RunRow find(String run) {
    return queries.find(run).orElseThrow();
  }

  private ExecutionRequest claimed(int depth) {
    return changes.records().claimNext(depth).orElseThrow();
  }

  private String created(Optional<String> parent) {
    var run = NewRun.parse(ServiceJson.newObject().put("prompt", "x")).withParentRunId(parent);
    return ServiceJson.read(
            changes.runs().create(run, Caller.MAIN, Optional.empty(), Optional.empty()))
        .get("run_id")
        .asText();
  }
}
