package dev.runnel.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.run.limit.Limits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// How long a workspace is kept where there is space for none.
@Tag("slow")
class IdleTimeTest {
  @Test
  void workspaceIsKeptForTheIdleTimeOfItsRun(@TempDir Path folder) {
    var usual = Limits.DEFAULT;
    var withoutSpace =
        new Limits(
            usual.start(),
            usual.idle(),
            usual.total(),
            usual.outputBytes(),
            usual.diskBytes(),
            Duration.ofDays(7),
            0,
            usual.drain());
    try (var service =
        RunningService.with(folder, "echo made > file", 1, Setup.USUAL.with(withoutSpace))) {
      var kept = ended(service, "{\"idle_timeout_minutes\":60}");
      var ending = ended(service, "{\"idle_timeout_minutes\":0}");
      var usually = ended(service, "{}");

      await()
          .untilAsserted(
              () -> {
                assertThat(workspace(folder, ending)).doesNotExist();
                assertThat(workspace(folder, usually)).doesNotExist();
              });
      assertThat(Files.exists(workspace(folder, kept).resolve("file"))).isTrue();
      assertThat(service.run(kept).at("/agent_config/idle_timeout_minutes").asInt()).isEqualTo(60);
    }
  }

  private static String ended(RunningService service, String config) {
    var id = service.create(Probes.object("{\"prompt\":\"x\",\"config\":" + config + "}"));
    service.awaitState(id, "SUCCEEDED");
    return id;
  }

  private static Path workspace(Path folder, String run) {
    return folder.resolve("workspaces").resolve(run);
  }
}
