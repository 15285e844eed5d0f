package dev.runnel.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.database.Database;
import dev.runnel.service.store.ServiceTables;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A file that an agent wrote is where its workspace is.
@Tag("slow")
@OnPostgres
class FileOfAnotherNodeTest {
  private static final String ARTIFACTS =
      """
      [{"artifact_type": "FILE", "created_at": "2026-01-01T00:00:00Z", "data": {
        "artifact_uid": "u1", "filepath": "notes.md", "filename": "notes.md",
        "mime_type": "text/markdown"}}]
      """;

  @TempDir Path folder;

  @Test
  void fileIsServedByItsNodeAndOtherNodesNameThatNode() throws Exception {
    var here = Files.createDirectory(folder.resolve("here"));
    var there = Files.createDirectory(folder.resolve("there"));
    var url = RunningService.share(here, there);
    try (var first = RunningService.withCommand(here, "cat; echo hello > notes.md");
        var database = Database.postgres(url, ServiceTables.SCHEMA)) {
      var id = first.create("x");
      first.awaitState(id, "SUCCEEDED");
      database.write(
          rows ->
              rows.change("UPDATE runs SET artifacts = ?", ARTIFACTS)
                  + rows.change("INSERT INTO artifact_uids (uid, run_id) VALUES ('u1', ?)", id));
      try (var second = RunningService.withCommand(there, "cat")) {
        assertThat(second.state(id)).isEqualTo("SUCCEEDED");
        var answer = second.get("/agent/artifacts/u1");

        assertThat(first.get("/agent/artifacts/u1").statusCode()).isEqualTo(200);
        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.body())
            .contains("The file is in the run's workspace on another node (host test");
      }
    }
  }
}
