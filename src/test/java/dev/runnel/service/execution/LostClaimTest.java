package dev.runnel.service.execution;

import static dev.runnel.service.RunningService.awaitFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.database.Database;
import dev.runnel.service.EnvironmentRuns;
import dev.runnel.service.RunningService;
import dev.runnel.service.process.ProcessTree;
import dev.runnel.service.store.RunTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// An execution whose claim another node has ended.
@Tag("slow")
@Timeout(60)
class LostClaimTest {
  @TempDir Path folder;

  @Test
  void lostClaimFreesItsSlotEvenIfItsLastLinesAreNotStored() throws IOException {
    // The last line and the end of the output come so close together that they are one batch.
    var command =
        "read -r line; if [ \"$line\" = lost ]; then touch ready; while [ ! -e go ]; do sleep 0.05;"
            + " done; fi; echo last";
    try (var service = RunningService.withCommand(folder, command, 1)) {
      var lost = service.create("lost");
      var workspace = folder.resolve("workspaces/" + lost);
      awaitFile(workspace.resolve("ready"));
      endClaim(lost);
      Files.createFile(workspace.resolve("go"));

      service.awaitState(service.create("next"), "SUCCEEDED");
    }
  }

  @Test
  void lostClaimEndsProcessesLeftByItsSetupCommands() throws IOException {
    var setup = "sleep 300 > /dev/null 2>&1 & touch ready; while [ ! -e go ]; do sleep 0.05; done";
    var environment = EnvironmentRuns.web("web", List.of(setup));
    try (var service =
        RunningService.with(folder, "cat", 1, EnvironmentRuns.environments(environment))) {
      var lost = EnvironmentRuns.runIn(service, "web");
      var workspace = folder.resolve("workspaces/" + lost);
      awaitFile(workspace.resolve("ready"));
      assertThat(processesOf(lost).isEmpty()).isFalse();
      endClaim(lost);
      Files.createFile(workspace.resolve("go"));

      await().until(() -> service.service.working() == 0);
      assertThat(processesOf(lost).isEmpty()).isTrue();
    }
  }

  @Test
  void lostClaimKillsItsProcessesWithoutAGraceTime() throws IOException {
    var setup =
        "(trap ': > asked-to-end' TERM; touch ready; while :; do sleep 0.05; done)"
            + " > /dev/null 2>&1 & while [ ! -e go ]; do sleep 0.05; done";
    var environment = EnvironmentRuns.web("web", List.of(setup));
    try (var service =
        RunningService.with(folder, "cat", 1, EnvironmentRuns.environments(environment))) {
      var lost = EnvironmentRuns.runIn(service, "web");
      var workspace = folder.resolve("workspaces/" + lost);
      awaitFile(workspace.resolve("ready"));
      endClaim(lost);
      Files.createFile(workspace.resolve("go"));

      await().until(() -> service.service.working() == 0);
      assertThat(processesOf(lost).isEmpty()).isTrue();
      assertThat(workspace.resolve("asked-to-end")).doesNotExist();
    }
  }

  private static ProcessTree processesOf(String run) {
    return ProcessTree.ofOrphan(
        new RunTable.ClaimedExecution(run, 1, "", "", Optional.empty(), Optional.empty()));
  }

  private void endClaim(String run) {
    try (var database = Database.sqlite(folder.resolve("agent-runs.db"))) {
      assertThat(
              database.<Integer>write(
                  rows ->
                      rows.change(
                          "UPDATE runs SET claim = NULL, state = 'ERROR' WHERE id = ?", run)))
          .isOne();
    }
  }
}
