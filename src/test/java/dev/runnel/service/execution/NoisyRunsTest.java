package dev.runnel.service.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.memory.MemoryBudget.Kind;
import dev.runnel.service.RunningService;
import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.run.limit.Limits;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Agents that write as fast as they can.
@Tag("slow")
class NoisyRunsTest {
  private static final long MIB = 1024L * 1024;
  private static final String YES = "yes";
  private static final String WITHOUT_END = "tr '\\0' x < /dev/zero";
  private static final String MINIFIED =
      "while :; do head -c 900000 /dev/zero | tr '\\0' '{'; echo; done";
  private static final String ERRORS = "yes error >&2";

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {YES, WITHOUT_END, MINIFIED, ERRORS})
  void runThatWritesTooMuchIsEndedAndSaysSo(String command) {
    try (var service = RunningService.with(folder, command, 4, limitedTo(8 * MIB))) {
      var run = service.awaitState(service.create("x"), "FAILED");

      assertThat(run.at("/status_message/message").asText())
          .isEqualTo(
              "The agent was stopped: it wrote more than 8 MiB of output. The limit is"
                  + " agents.limits.output.");
    }
  }

  @Test
  void cancelEndsFourNoisyRunsAndTheirMemoryIsFreeAgain() {
    var commands = "case $(cat) in 1) %s;; 2) %s;; 3) %s;; 4) %s;; esac";
    try (var service =
        RunningService.with(
            folder,
            commands.formatted(YES, WITHOUT_END, MINIFIED, ERRORS),
            4,
            limitedTo(Limits.UNLIMITED))) {
      var share = service.memory.share(Kind.RUNS);
      var before = share.taken();
      var ids =
          IntStream.rangeClosed(1, 4).mapToObj(i -> service.create(Integer.toString(i))).toList();
      ids.forEach(id -> service.awaitState(id, "INPROGRESS"));

      for (var id : ids) {
        service.cancel(id);
        assertThat(service.state(id)).as("after the answer to the cancel").isEqualTo("CANCELLED");
      }

      await()
          .atMost(Duration.ofSeconds(20))
          .untilAsserted(() -> assertThat(share.taken()).isEqualTo(before));
    }
  }

  @Test
  void setUpCommandThatWritesWithoutLineEndsDoesNotFillTheMemory() {
    var environment =
        Environment.named("web")
            .withSetupCommands(
                List.of("head -c 300000000 /dev/zero | tr '\\0' x", "yes | head -c 1000000"));
    var setup =
        Setup.USUAL.with(
            new Environments(List.of(environment), Optional.of(environment), Map.of()));
    try (var service = RunningService.with(folder, "echo done", 1, setup)) {
      var share = service.memory.share(Kind.RUNS);
      var before = share.taken();

      service.awaitState(service.create("x"), "SUCCEEDED");

      assertThat(share.taken()).isEqualTo(before);
    }
  }

  private static Setup limitedTo(long outputBytes) {
    var usual = Limits.DEFAULT;
    return Setup.USUAL.with(
        new Limits(
            usual.start(),
            usual.idle(),
            usual.total(),
            outputBytes,
            usual.diskBytes(),
            usual.keep(),
            usual.keepBytes(),
            usual.drain()));
  }
}
