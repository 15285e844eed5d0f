package dev.runnel.service;

import static dev.runnel.service.RunningService.awaitFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class RestartTest {
  private static final String COMMAND =
      "[ $RUNNEL_EXECUTION = 1 ] || { cat; exit 0; };"
          + " trap '' TERM HUP PIPE; echo half; (setsid sleep 300 & echo $! > child);"
          + " echo $$ > pid; while :; do sleep 1; done";
  private static final String WORDS =
      "The service was restarted while the agent was working. Reply to continue.";

  @TempDir Path folder;

  @Test
  void gracefulStopEndsActiveRunsAndKeepsQueuedOnes() {
    String working;
    String queued;
    try (var service = RunningService.withCommand(folder, COMMAND, 1)) {
      working = service.create("works");
      awaitFile(folder.resolve("workspaces/" + working + "/pid"));
      queued = service.create("waits");
    }
    try (var service = RunningService.withCommand(folder, "cat", 1)) {
      var run = service.run(working);
      assertThat(run.get("state").asText()).isEqualTo("ERROR");
      assertThat(run.at("/status_message/message").asText()).isEqualTo(WORDS);
      assertThat(run.at("/status_message/error_code").asText()).isEqualTo("internal_error");
      assertThat(run.at("/status_message/retryable").asBoolean()).isTrue();
      assertThat(service.awaitState(queued, "SUCCEEDED").at("/status_message/message").asText())
          .isEqualTo("waits");
      assertThat(service.transcript(working)).isEqualTo("half\n");

      service.followUp(working, "go on");
      assertThat(service.awaitState(working, "SUCCEEDED").at("/status_message/message").asText())
          .isEqualTo("go on");
    }
  }

  @Test
  void restartAfterAKillEndsOldAgentsAndRunsCanContinue() throws Exception {
    var crashing = crashingService();
    String told;
    String silent;
    try {
      silent = crashing.read("silent");
      told = crashing.read("told");
    } finally {
      crashing.process().destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }
    var agent = pid(silent, "pid");
    var child = pid(silent, "child");
    assertThat(Living.is(agent)).isTrue();
    assertThat(Living.is(child)).isTrue();

    try (var service = RunningService.withCommand(folder, COMMAND)) {
      var run = service.awaitState(silent, "ERROR");
      assertThat(run.at("/status_message/message").asText()).isEqualTo(WORDS);
      assertThat(Living.is(agent)).isFalse();
      assertThat(Living.is(child)).isFalse();
      assertThat(service.awaitState(told, "SUCCEEDED").at("/status_message/message").asText())
          .isEqualTo("what now?");
    }
  }

  private record Crashing(Process process, Path folder) {
    String read(String name) throws IOException {
      var file = folder.resolve(name);
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> Files.exists(file) && !Files.readString(file).isEmpty());
      return Files.readString(file);
    }
  }

  private Crashing crashingService() throws IOException {
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var builder =
        new ProcessBuilder(
            java,
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            folder.toString());
    return new Crashing(
        builder
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("crashing.log").toFile())
            .start(),
        folder);
  }

  private String pid(String run, String file) throws IOException {
    return Files.readString(folder.resolve("workspaces/" + run + "/" + file)).strip();
  }

  /// A service that works on two runs, one of them with a message waiting, until it is killed.
  static final class Main {
    private Main() {}

    public static void main(String[] arguments) throws Exception {
      var folder = Path.of(arguments[0]);
      try (var service = RunningService.withCommand(folder, COMMAND)) {
        var silent = service.create("x");
        var told = service.create("y");
        awaitFile(folder.resolve("workspaces/" + silent + "/pid"));
        awaitFile(folder.resolve("workspaces/" + told + "/pid"));
        service.followUp(told, "what now?");
        Files.writeString(folder.resolve("silent"), silent);
        Files.writeString(folder.resolve("told"), told);
        Thread.sleep(Duration.ofMinutes(1));
      }
    }
  }
}
