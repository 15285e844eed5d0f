package dev.runnel.service.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.database.Database;
import dev.runnel.service.RunningService;
import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.output.LimitWatch;
import dev.runnel.service.process.AgentProcess;
import dev.runnel.service.process.ProcessTree;
import dev.runnel.service.process.Spawner;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.limit.Limits;
import dev.runnel.service.store.RunTable;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.testkit.TextSink;
import dev.runnel.wire.RunMode;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A machine that cannot start another process or thread.
@Tag("slow")
class ResourceShortageTest {
  private static final Set<String> OPEN = Set.of("QUEUED", "INPROGRESS");
  private static final int MAX_CALLS = 100;

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void runReportsAResourceShortageOfAnyProcessOrThread(boolean startsAllTheSame) {
    var environment = Environment.named("web").withSetupCommands(List.of("sleep 0.1"));
    var setup =
        Setup.USUAL.with(
            new Environments(List.of(environment), Optional.of(environment), Map.of()));
    var spawner = new FakeSpawner();
    try (var service = RunningService.withSpawner(folder, "sleep 0.1; echo done", setup, spawner)) {
      var failures = 0;
      for (int call = 1; call <= MAX_CALLS; call++) {
        spawner.failAt(call, startsAllTheSame);
        var id = service.create("x");
        await()
            .atMost(Duration.ofSeconds(60))
            .pollInterval(Duration.ofMillis(20))
            .until(() -> !OPEN.contains(service.state(id)));
        if (!spawner.hasFailed()) {
          assertThat(service.state(id)).isEqualTo("SUCCEEDED");
          break;
        }
        failures++;
        var run = service.run(id);
        assertThat(run.get("state").asText()).as("call %d", call).isEqualTo("ERROR");
        assertThat(run.at("/status_message/error_code").asText()).isEqualTo("resource_unavailable");
        assertThat(run.at("/status_message/retryable").asBoolean()).isTrue();
        assertThat(
                service
                    .ok(service.get("/agent/environments"))
                    .at("/environments/0/setup_failed")
                    .booleanValue())
            .isFalse();
        assertThat(run.at("/status_message/message").asText())
            .isEqualTo(ExecutionResult.noResources().message());
        assertThat(
                ProcessTree.ofOrphan(
                        new RunTable.ClaimedExecution(
                            id, 1, "", "", Optional.empty(), Optional.empty()))
                    .isEmpty())
            .as("call %d", call)
            .isTrue();
      }
      assertThat(failures).isBetween(10, MAX_CALLS - 1);
    }
  }

  @Test
  void stopWorksEvenIfItsThreadCannotBeStarted() {
    var spawner = new FakeSpawner();
    try (var service =
        RunningService.withSpawner(folder, "touch ready; sleep 300", Setup.USUAL, spawner)) {
      var id = service.create("x");
      RunningService.awaitFile(folder.resolve("workspaces/" + id + "/ready"));
      spawner.failAt(1, false);
      service.cancel(id);

      service.awaitState(id, "CANCELLED");
      assertThat(spawner.hasFailed()).isTrue();
      assertThat(
              ProcessTree.ofOrphan(
                      new RunTable.ClaimedExecution(
                          id, 1, "", "", Optional.empty(), Optional.empty()))
                  .isEmpty())
          .isTrue();
    }
  }

  @Test
  void orphanedRunInProgressIsEndedOrStopped() throws Exception {
    try (var service = RunningService.withCommand(folder, "cat")) {
      var lost = service.create("first");
      var stopped = service.create("second");
      service.awaitState(lost, "SUCCEEDED");
      service.awaitState(stopped, "SUCCEEDED");
      try (var database = Database.sqlite(folder.resolve("agent-runs.db"))) {
        database.write(rows -> rows.change("UPDATE runs SET state = 'INPROGRESS'"));
      }
      var builder = new ProcessBuilder("sleep", "300");
      builder.environment().put("RUNNEL_RUN_ID", lost);
      builder.environment().put("RUNNEL_EXECUTION", "1");
      var agent = builder.start();
      service.cancel(stopped);

      var run = service.awaitState(lost, "ERROR");
      assertThat(run.at("/status_message/error_code").asText()).isEqualTo("internal_error");
      assertThat(run.at("/status_message/message").asText())
          .isEqualTo(
              "An unexpected error occurred in the run service. Reply to try again. If it fails"
                  + " again, tell your admin: run `%s`, execution 1.",
              lost.substring(0, 8));
      assertThat(agent.waitFor(10, TimeUnit.SECONDS)).isTrue();
      service.awaitState(stopped, "CANCELLED");

      service.followUp(lost, "go on");
      service.awaitState(lost, "SUCCEEDED");
    }
  }

  @Test
  void runIsOrphanedOnlyAfterTwoChecksWithoutAnExecution() {
    var runs = new RunsWithoutExecution();
    var first = new RunTable.ClaimedExecution("a", 1, "", "", Optional.empty(), Optional.empty());
    var next = new RunTable.ClaimedExecution("a", 2, "", "", Optional.empty(), Optional.empty());

    assertThat(runs.findOrphaned(List.of(first), _ -> false)).isEmpty();
    assertThat(runs.findOrphaned(List.of(first), _ -> true)).isEmpty();
    assertThat(runs.findOrphaned(List.of(first), _ -> false)).isEmpty();
    assertThat(runs.findOrphaned(List.of(next), _ -> false)).isEmpty();
    assertThat(runs.findOrphaned(List.of(next), _ -> false)).containsExactly(next);
  }

  @Test
  void processIsKilledIfItsOutputCannotBeProcessed() throws Exception {
    var sink =
        new TextSink(
            _ -> {
              throw new OutOfMemoryError("unable to create native thread");
            },
            _ -> {});
    var process =
        AgentProcess.start(
            Spawner.system(),
            new ExecutionRequest(
                "run",
                1,
                "",
                "session",
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                "{}",
                RunMode.NORMAL,
                "claim"),
            List.of("/bin/sh", "-c", "echo x; exec sleep 300"),
            folder,
            Map.of(),
            "",
            Spawner.Channel.PIPE,
            sink);

    assertThat(process.awaitExit()).isNotZero();
    assertThat(process.failure()).containsInstanceOf(OutOfMemoryError.class);
    assertThat(Spawner.resultOf(process.failure().orElseThrow(), "run", 1))
        .isEqualTo(ExecutionResult.noResources());
  }

  @Test
  void anAgentAtItsLimitThatCouldNotBeEndedIsEndedAgain() throws Exception {
    var tries = new AtomicInteger();
    var ended = new CountDownLatch(1);
    var sink = new TextSink();
    var usual = Limits.DEFAULT;
    var limits =
        new Limits(
            usual.start(),
            usual.idle(),
            usual.total(),
            3,
            usual.diskBytes(),
            usual.keep(),
            usual.keepBytes(),
            usual.drain());
    try (var watch =
        new LimitWatch(
            Spawner.system(),
            ExecutionRequest.internal("run"),
            limits,
            sink,
            () -> 0,
            _ -> BigDecimal.ZERO,
            () -> {
              if (tries.incrementAndGet() == 1) {
                throw new OutOfMemoryError("unable to create native thread");
              }
              ended.countDown();
            })) {
      watch.start();
      watch.received(8);

      assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(watch.reached().orElseThrow().message()).contains("of output");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'Cannot run program \"sh\": Exec failed, error: 11 (Resource temporarily unavailable)', true",
    "'Cannot run program \"sh\": error=12, Cannot allocate memory', true",
    "'Cannot run program \"sh\": posix_spawn failed, error: 24 (Too many open files)', true",
    "'Cannot run program \"sh\": Exec failed, error: 2 (No such file or directory)', false",
    "'Cannot run program \"sh\": error=13, Permission denied', false",
  })
  void resourceShortageIsRecognizedByTheSystemsMessages(
      String message, boolean isResourceShortage) {
    assertThat(Spawner.SystemSpawner.isResourceShortage(new IOException(message)))
        .isEqualTo(isResourceShortage);
  }

  @Test
  void missingProgramIsNotReportedAsAResourceShortage() throws Exception {
    var missing = new ProcessBuilder(folder.resolve("missing").toString());

    // The shell that starts it reports it.
    assertThat(Spawner.system().process(missing).waitFor()).isEqualTo(127);
  }
}
