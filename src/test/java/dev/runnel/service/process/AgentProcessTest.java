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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What an agent's process does with its input.
@Tag("slow")
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class AgentProcessTest {
  private static final int MEBI = 1024 * 1024;

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource
  void anAgentThatDoesNotReadItsInputIsEndedBeforeItFillsTheMemory(Spawner.Channel channel)
      throws Exception {
    var process = start(channel, "", "sleep", "10");
    try {
      var answer = "x".repeat(900_000);
      for (var i = 0; i < 128; i++) {
        process.write(answer);
      }

      assertThat(process.awaitExit()).isNotZero();
      assertThat(process.problem().orElseThrow().message())
          .isEqualTo(
              "The agent was stopped: it asked for more and more, but did not read the answers on"
                  + " its standard input. At most 2 MiB may wait there.");
      assertThat(process.failure()).isEmpty();
    } finally {
      process.end(Duration.ZERO);
    }
  }

  @ParameterizedTest
  @EnumSource
  void agentThatReadsItsInputGetsAllOfIt(Spawner.Channel channel) throws Exception {
    var process =
        start(
            channel,
            "é".repeat(16 * MEBI),
            "sh",
            "-c",
            "test $(head -c 34603008 | wc -c) = 34603008");
    try {
      assertThat(process.hasRoomFor(MEBI)).isTrue();
      process.write("x".repeat(MEBI));
      process.closeInput();

      assertThat(process.awaitExit()).isZero();
      assertThat(process.failure()).isEmpty();
      assertThat(process.problem()).isEmpty();
    } finally {
      process.end(Duration.ZERO);
    }
  }

  @ParameterizedTest
  @EnumSource
  void answersToAnAgentThatHasClosedItsInputAreDropped(Spawner.Channel channel) throws Exception {
    var process = start(channel, "x", "sh", "-c", "exec 0<&-; sleep 1");
    try {
      for (var i = 0; i < 64; i++) {
        process.write("x".repeat(MEBI / 64));
      }

      assertThat(process.awaitExit()).isZero();
      assertThat(process.problem()).isEmpty();
    } finally {
      process.end(Duration.ZERO);
    }
  }

  @ParameterizedTest
  @EnumSource
  void agentWhoseOutputEndsInAnErrorOfAnyKindIsEnded(Spawner.Channel channel) throws Exception {
    var process =
        AgentProcess.start(
            Spawner.system(),
            ExecutionRequest.internal("run"),
            List.of("sh", "-c", "echo x; exec sleep 300"),
            folder,
            Map.of("PATH", System.getenv("PATH")),
            "",
            channel,
            new TextSink(
                _ -> {
                  throw new StackOverflowError();
                },
                _ -> {}));

    assertThat(process.awaitExit()).isNotZero();
    assertThat(process.failure()).containsInstanceOf(StackOverflowError.class);
  }

  private AgentProcess start(Spawner.Channel channel, String input, String... command)
      throws IOException {
    return AgentProcess.start(
        Spawner.system(),
        ExecutionRequest.internal("run"),
        List.of(command),
        folder,
        Map.of("PATH", System.getenv("PATH")),
        input,
        channel,
        new TextSink());
  }
}
