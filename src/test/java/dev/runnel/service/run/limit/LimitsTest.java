package dev.runnel.service.run.limit;

import static dev.runnel.service.RunningService.JSON;
import static dev.runnel.service.RunningService.awaitFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.service.Living;
import dev.runnel.service.RunningService;
import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("slow")
class LimitsTest {
  private static final Duration SHORT = Duration.ofSeconds(1);
  private static final Limits USUAL = Limits.DEFAULT;

  @TempDir Path folder;

  @Nested
  class AnAgentIsStopped {
    @Test
    void agentThatWorksTooLongIsStopped() throws IOException {
      var limits = limits(USUAL.start(), USUAL.idle(), SHORT, USUAL.outputBytes());
      var run = ended(limits, "echo $$ > pid; while :; do echo busy; sleep 0.1; done", "ERROR");

      assertThat(message(run))
          .isEqualTo(
              "The agent was stopped: it worked for 1 second. Reply to let it go on; the limit is"
                  + " agents.limits.total.");
      assertThat(code(run)).isEqualTo("infrastructure_timeout");
      assertThat(run.at("/status_message/retryable").asBoolean()).isFalse();
      assertGone(run);
    }

    @Test
    void agentWithoutOutputForTooLongIsStopped() throws IOException {
      var limits = limits(USUAL.start(), SHORT, USUAL.total(), USUAL.outputBytes());
      var run = ended(limits, "echo $$ > pid; echo hello; sleep 300", "ERROR");

      assertThat(message(run))
          .isEqualTo(
              "The agent was stopped: it wrote nothing for 1 second. Reply to let it go on; the"
                  + " limit is agents.limits.idle.");
      assertThat(code(run)).isEqualTo("infrastructure_timeout");
      assertGone(run);
    }

    @Test
    void agentWithTooMuchOutputIsStopped() throws IOException {
      var limits = limits(USUAL.start(), USUAL.idle(), USUAL.total(), 64 * 1024);
      var run = ended(limits, "echo $$ > pid; yes", "FAILED");

      assertThat(message(run))
          .isEqualTo(
              "The agent was stopped: it wrote more than 64 KiB of output. The limit is"
                  + " agents.limits.output.");
      assertThat(code(run)).isEmpty();
      assertThat(run.path("error_category").asText()).isEqualTo("agent");
      assertGone(run);
    }

    @Test
    void agentWithATooLargeWorkspaceIsStopped() throws IOException {
      var limits =
          new Limits(
              USUAL.start(),
              USUAL.idle(),
              USUAL.total(),
              USUAL.outputBytes(),
              1024,
              USUAL.keep(),
              USUAL.keepBytes(),
              Duration.ZERO);
      var run = ended(limits, "echo $$ > pid; head -c 4096 /dev/zero > big; sleep 300", "FAILED");

      assertThat(message(run))
          .isEqualTo(
              "The agent was stopped: its workspace grew beyond 1 KiB. The limit is"
                  + " agents.limits.disk, for which a file has at least 4 KiB.");
      assertGone(run);
    }

    @Test
    void agentThatCostsTooMuchIsStopped() throws IOException {
      // A dollar a second.
      var cost = new CostLimit(Optional.of(BigDecimal.ONE), () -> new BigDecimal(60));
      var setup = Setup.USUAL.with(USUAL.with(cost));
      try (var service =
          RunningService.with(folder, "echo $$ > pid; echo hello; sleep 300", 4, setup)) {
        var id = service.create("x");
        var run = service.awaitState(id, "FAILED");

        assertThat(message(run))
            .matches(
                "The agent was stopped: its run has cost \\$\\d+\\.\\d\\d, and one run may cost"
                    + " \\$1\\.00\\. .*");
        assertThat(code(run)).isEqualTo("budget_exceeded");
        assertGone(run);

        service.followUp(id, "go on");
        var refused = service.awaitState(id, "FAILED");
        assertThat(message(refused)).startsWith("The agent was not started: its run has cost $");
      }
    }

    @Test
    void agentBelowItsLimitsIsNotStopped() {
      var limits = limits(USUAL.start(), SHORT, Duration.ofSeconds(20), 64 * 1024);
      var command = "for i in 1 2 3 4 5 6; do echo $i; sleep 0.3; done; echo done";
      assertThat(message(ended(limits, command, "SUCCEEDED"))).endsWith("done");
    }
  }

  @Test
  void setupThatTakesTooLongIsEndedAndNamesItsLastStep() {
    var environment = Environment.named("web").withSetupCommands(List.of("true", "sleep 300"));
    var setup =
        Setup.USUAL
            .with(limits(SHORT, USUAL.idle(), USUAL.total(), USUAL.outputBytes()))
            .with(new Environments(List.of(environment), Optional.of(environment), Map.of()));
    try (var service = RunningService.with(folder, "echo never", 4, setup)) {
      var run = service.awaitState(service.create("x"), "ERROR");

      assertThat(message(run))
          .isEqualTo(
              "The agent did not start within 1 second; the limit is agents.limits.start. The"
                  + " last step was: Setting up: sleep 300");
      assertThat(code(run)).isEqualTo("infrastructure_timeout");
    }
  }

  @Test
  void aWorkspaceIsDeletedWhenItsTimeIsOver() {
    var limits =
        new Limits(
            USUAL.start(),
            USUAL.idle(),
            USUAL.total(),
            USUAL.outputBytes(),
            USUAL.diskBytes(),
            Duration.ZERO,
            USUAL.keepBytes(),
            Duration.ZERO);
    try (var service =
        RunningService.with(folder, "echo x > file; cat", 1, Setup.USUAL.with(limits))) {
      var id = service.create("x");
      service.awaitState(id, "SUCCEEDED");

      await().untilAsserted(() -> assertThat(folder.resolve("workspaces/" + id)).doesNotExist());
    }
  }

  @Nested
  class AStopOfTheService {
    @Test
    void stopOfTheServiceLetsQuickAgentsFinish() {
      String id;
      String queued;
      var command = "touch ready; sleep 1; echo finished";
      try (var service = RunningService.with(folder, command, 1, drain(Duration.ofSeconds(20)))) {
        id = service.create("x");
        awaitFile(folder.resolve("workspaces/" + id + "/ready"));
        queued = service.create("y");
      }

      try (var later = RunningService.withCommand(folder, "echo later", 1)) {
        assertThat(later.state(id)).isEqualTo("SUCCEEDED");
        assertThat(later.message(id)).isEqualTo("finished");
        later.awaitState(queued, "SUCCEEDED");
      }
    }

    @Test
    void runInterruptedByAStopOfTheServiceReportsTheRestart() {
      String id;
      try (var service = RunningService.with(folder, "touch ready; sleep 300", 1, drain(SHORT))) {
        id = service.create("x");
        awaitFile(folder.resolve("workspaces/" + id + "/ready"));
      }

      try (var later = RunningService.withCommand(folder, "echo later", 1)) {
        assertThat(later.state(id)).isEqualTo("ERROR");
        assertThat(later.message(id)).isEqualTo(ExecutionResult.restarted().message());
      }
    }

    private Setup drain(Duration time) {
      return Setup.USUAL.with(
          new Limits(
              USUAL.start(),
              USUAL.idle(),
              USUAL.total(),
              USUAL.outputBytes(),
              USUAL.diskBytes(),
              USUAL.keep(),
              USUAL.keepBytes(),
              time));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "PT90S, 90 seconds",
    "PT1S, 1 second",
    "PT15M, 15 minutes",
    "PT1H, 1 hour",
    "PT36H, 36 hours",
    "P7D, 7 days",
  })
  void timesAreFormattedInTheLargestFittingUnit(Duration time, String words) {
    assertThat(Limits.format(time)).isEqualTo(words);
  }

  private static Limits limits(Duration start, Duration idle, Duration total, long output) {
    return new Limits(
        start,
        idle,
        total,
        output,
        USUAL.diskBytes(),
        USUAL.keep(),
        USUAL.keepBytes(),
        Duration.ZERO);
  }

  private JsonNode ended(Limits limits, String command, String state) {
    try (var service = RunningService.with(folder, command, 4, Setup.USUAL.with(limits))) {
      return service.awaitState(service.create(JSON.createObjectNode().put("prompt", "x")), state);
    }
  }

  private void assertGone(JsonNode run) throws IOException {
    var file = folder.resolve("workspaces/" + run.get("run_id").asText() + "/pid");
    assertThat(Living.is(Files.readString(file).strip())).isFalse();
  }

  private static String message(JsonNode run) {
    return run.at("/status_message/message").asText();
  }

  private static String code(JsonNode run) {
    return run.at("/status_message/error_code").asText();
  }
}
