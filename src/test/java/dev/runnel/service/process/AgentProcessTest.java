package dev.runnel.service.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.testkit.TextSink;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/// What an agent's process does with its input.
@Tag("slow")
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class AgentProcessTest {
  private static final int MEBI = 1024 * 1024;

  @TempDir Path folder;

  @Test
  void anAgentThatDoesNotReadItsInputIsEndedBeforeItFillsTheMemory() throws Exception {
    var process = start("sleep", "10");
    try {
      var line = "x".repeat(MEBI);
      for (var i = 0; i < 128; i++) {
        process.write(line);
      }

      assertThat(process.awaitExit()).isNotZero();
      assertThat(process.failure()).isPresent();
    } finally {
      process.end(Duration.ZERO);
    }
  }

  @Test
  void agentThatReadsItsInputGetsAllOfIt() throws Exception {
    var process = start("sh", "-c", "test $(head -c 33554432 | wc -c) = 33554432");
    try {
      var line = "x".repeat(MEBI);
      for (var i = 0; i < 32; i++) {
        process.write(line);
      }
      process.closeInput();

      assertThat(process.awaitExit()).isZero();
      assertThat(process.failure()).isEmpty();
    } finally {
      process.end(Duration.ZERO);
    }
  }

  private AgentProcess start(String... command) throws IOException {
    return AgentProcess.start(
        Spawner.system(),
        ExecutionRequest.internal("run"),
        List.of(command),
        folder,
        Map.of("PATH", System.getenv("PATH")),
        "",
        new TextSink());
  }
}
