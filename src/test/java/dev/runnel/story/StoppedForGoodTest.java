package dev.runnel.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.client.RunsClient;
import dev.runnel.testkit.RunnelProcess;
import dev.runnel.wire.CreateRun;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A stop without isolation, of an agent that hides its processes.
@Tag("slow")
class StoppedForGoodTest {
  @TempDir Path folder;

  @Test
  void cancelEndsEvenDaemonizedProcessesOfTheAgent() throws IOException {
    var seconds = "302." + ThreadLocalRandom.current().nextInt(100_000, 1_000_000);
    var command =
        """
        for each in 1 2 3; do
          (setsid env -i PATH="$PATH" RUNNEL_RUN_ID=made-up-$each sh -c '(trap "" TERM HUP; sleep %1$s; sleep %1$s) &' &)
        done
        sleep 0.3; touch ready; sleep %1$s
        """
            .formatted(seconds);
    try (var runnel =
            RunnelProcess.start(
                folder, RunnelProcess.freePort(), Map.of("RUNNEL_AGENT_COMMAND", command));
        var client =
            RunsClient.builder()
                .baseUrl(URI.create(runnel.url() + "/api/v1"))
                .apiKey(Files.readString(runnel.data().resolve("agent-api-key")).strip())
                .build()) {
      var id = client.runs().create(CreateRun.builder().prompt("x").build()).send().runId();
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> Files.exists(runnel.data().resolve("workspaces/" + id + "/ready")));
      assertThat(running(seconds)).hasSizeGreaterThanOrEqualTo(4);

      client.runs().cancel(id).send();

      // A machine that is busy with other work may need longer than the request waits.
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> client.runs().get(id).send().state().value().equals("CANCELLED"));
      assertThat(running(seconds)).isEmpty();
    }
  }

  private static List<ProcessHandle> running(String mark) {
    return ProcessHandle.allProcesses()
        .filter(each -> each.info().commandLine().orElse("").contains(mark))
        .toList();
  }
}
