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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
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

  /// A line may have a megabyte, and a page must fit in memory.
  @Test
  void longLinesAreReadInPiecesAndNoneIsLeftOut() {
    try (var database = Database.sqlite(folder.resolve("agent-runs.db"))) {
      database.migrate(ServiceTables.ON_SQLITE);
      fill(database);
      lengthen(database);
      try (var service = open(database)) {
        var found = new ServiceTranscripts(service);
        var numbers = new ArrayList<Long>();
        for (var part = found.after(RUN, 0).orElseThrow();
            !part.lines().isEmpty();
            part = found.after(RUN, numbers.getLast()).orElseThrow()) {
          var characters = part.lines().stream().mapToInt(line -> line.text().length()).sum();
          assertThat(characters <= 256 * 1024 || part.lines().size() == 1).isTrue();
          part.lines().forEach(line -> numbers.add(line.number()));
          assertThat(part.mayGrow()).isEqualTo(numbers.getLast() < 2500);
        }

        assertThat(numbers)
            .containsExactlyElementsOf(LongStream.rangeClosed(1, 2500).boxed().toList());
        assertThat(found.find(RUN, "éx", 200))
            .hasSize(64)
            .allMatch(line -> line.text().length() <= 1_000);
      }
    }
  }

  private AgentRunService open(Database database) {
    return AgentRunService.open(
        database,
        ServiceSettings.of(
            folder.resolve("workspaces"),
            "key",
            () -> URI.create("http://localhost"),
            Optional.of("cat")),
        InstantSource.system());
  }

  /// 64 lines of 64 kB, and one of a megabyte.
  private static void lengthen(Database database) {
    Integer _ =
        database.write(
            rows -> {
              rows.change(
                  "UPDATE transcript_lines SET text = ? WHERE number BETWEEN 1001 AND 1064",
                  "xé".repeat(32 * 1024));
              return rows.change(
                  "UPDATE transcript_lines SET text = ? WHERE number = 1500",
                  "x".repeat(1024 * 1024));
            });
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
