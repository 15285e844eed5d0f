package dev.runnel.service.execution;

import static dev.runnel.service.RunningService.awaitFile;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.database.Database;
import dev.runnel.service.RunningService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
  void itsSlotIsFreeAlsoWhenItsLastLinesCannotBeStored() throws IOException {
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
