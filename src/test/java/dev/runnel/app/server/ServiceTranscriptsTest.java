package dev.runnel.app.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.console.transcript.Transcripts;
import dev.runnel.core.model.run.RunId;
import dev.runnel.database.Database;
import dev.runnel.service.AgentRunService;
import dev.runnel.service.execution.ServiceSettings;
import dev.runnel.service.store.ServiceTables;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the embedded service finds in its tables is what is found line by line.
class ServiceTranscriptsTest {
  private static final RunId RUN = new RunId("run-1");
  private static final List<String> KINDS = List.of("SAID", "DID", "RESULT", "ERROR", "NOTE");

  @TempDir Path folder;

  @Test
  void transcriptQueriesFindTheSameLinesAsAFullScan() {
    try (var database = Database.sqlite(folder.resolve("agent-runs.db"))) {
      database.migrate(ServiceTables.ON_SQLITE);
      fill(database);
      try (var service =
          AgentRunService.open(
              database,
              ServiceSettings.of(
                  folder.resolve("workspaces"),
                  "key",
                  () -> URI.create("http://localhost"),
                  Optional.of("cat")),
              InstantSource.system())) {
        var found = new ServiceTranscripts(service);
        // The default methods, which walk over all lines.
        @SuppressWarnings("UnnecessaryMethodReference")
        Transcripts walked = found::after;

        assertThat(found.last(RUN)).isEqualTo(walked.last(RUN)).isEqualTo(2500);
        assertThat(found.lastError(RUN)).isEqualTo(walked.lastError(RUN)).contains(2499L);
        for (var text : List.of("LINE 77", "100%", "a_b", "\\", "nothing")) {
          assertThat(found.find(RUN, text, 200)).isEqualTo(walked.find(RUN, text, 200));
        }
        assertThat(found.find(RUN, "100%", 200)).hasSize(1);
        assertThat(found.find(RUN, "line", 200)).hasSize(200);
      }
    }
  }

  private static void fill(Database database) {
    var at = Instant.parse("2026-01-01T00:00:00Z");
    Map<String, String> _ =
        database.write(
            rows -> {
              rows.change(
                  """
                  INSERT INTO runs (id, state, title, prompt, source, created_at, updated_at,
                    queued_at)
                  VALUES (?, 'SUCCEEDED', 't', 'p', 'API', ?, ?, ?)
                  """,
                  RUN.value(),
                  at,
                  at,
                  at);
              for (int i = 1; i <= 2500; i++) {
                rows.change(
                    """
                    INSERT INTO transcript_lines (run_id, number, execution, kind, said_at, text)
                    VALUES (?, ?, 1, ?, ?, ?)
                    """,
                    RUN.value(),
                    i,
                    KINDS.get(i % KINDS.size() == 4 ? 3 : i % 3),
                    at,
                    i == 50 ? "100% of a_b is \\ here" : "Line " + i + " of 1000");
              }
              return Map.of();
            });
  }
}
