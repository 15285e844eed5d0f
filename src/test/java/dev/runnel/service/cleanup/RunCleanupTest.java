package dev.runnel.service.cleanup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.database.Database;
import dev.runnel.service.store.RunErasure;
import dev.runnel.service.store.ServiceTables;
import dev.runnel.testkit.MigratedFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunCleanupTest {
  private static final Instant NOW = Instant.parse("2026-06-01T00:00:00Z");
  private static final Duration FOREVER = Duration.ofDays(36_500);

  @TempDir Path folder;
  private Database database;
  private final List<String> deletedFolders = new CopyOnWriteArrayList<>();

  @BeforeEach
  void open() {
    database = MigratedFile.open(folder.resolve("agent-runs.db"), ServiceTables.ON_SQLITE);
    add("old", "SUCCEEDED", NOW.minus(Duration.ofDays(200)));
    add("recent", "FAILED", NOW.minus(Duration.ofDays(40)));
    add("new", "SUCCEEDED", NOW.minus(Duration.ofDays(1)));
    add("asks", "BLOCKED", NOW.minus(Duration.ofDays(300)));
  }

  @AfterEach
  void close() {
    database.close();
  }

  private void add(String id, String state, Instant ended) {
    int _ =
        database.write(
            rows ->
                rows.change(
                        "INSERT INTO runs (id, state, title, prompt, source, created_at,"
                            + " updated_at, queued_at, finished_at) VALUES (?, ?, ?, ?, 'API', 1,"
                            + " 1, 1, ?)",
                        id,
                        state,
                        "title of " + id,
                        "prompt of " + id,
                        ended)
                    + rows.change(
                        "INSERT INTO transcript_lines (run_id, number, execution, kind, said_at,"
                            + " text) VALUES (?, 1, 1, 'SAID', 1, 'line')",
                        id));
  }

  private List<String> ids(String sql) {
    return database.read(rows -> rows.list(sql, row -> row.getString(1)));
  }

  private void cleans(Duration runs, Duration transcripts, Runnable expected) {
    try (var _ =
        RunCleanup.start(
            new RunErasure(database),
            deletedFolders::add,
            new RunCleanup.Retention(runs, transcripts),
            InstantSource.fixed(NOW))) {
      Awaitility.await().atMost(Duration.ofSeconds(60)).untilAsserted(expected::run);
    }
  }

  @Test
  void responsesToRepeatedRequestsAreDeletedAfterAWeek() {
    for (var days : List.of(8, 6)) {
      int _ =
          database.write(
              rows ->
                  rows.change(
                      "INSERT INTO answers (scope, name, request, answer, created_at) VALUES"
                          + " ('create', ?, '', '{}', ?)",
                      "key-of-" + days,
                      NOW.minus(Duration.ofDays(days))));
    }
    cleans(
        FOREVER,
        FOREVER,
        () -> assertThat(ids("SELECT name FROM answers")).containsExactly("key-of-6"));
  }

  @Test
  void runsThatEndedLongAgoAreDeletedWithTheirFolders() {
    cleans(
        Duration.ofDays(180),
        FOREVER,
        () -> {
          assertThat(ids("SELECT id FROM runs")).containsExactlyInAnyOrder("recent", "new", "asks");
          assertThat(deletedFolders).containsExactly("old");
        });
    assertThat(ids("SELECT run_id FROM transcript_lines"))
        .containsExactlyInAnyOrder("recent", "new", "asks");
    assertThat(ids("SELECT title FROM run_texts WHERE run_texts MATCH '\"title of old\"'"))
        .isEmpty();
    assertThat(ids("SELECT title FROM run_texts WHERE run_texts MATCH '\"title of new\"'"))
        .hasSize(1);
  }

  @Test
  void aRunWhoseFoldersCannotBeDeletedIsKeptForTheNextTime() {
    try (var _ =
        RunCleanup.start(
            new RunErasure(database),
            run -> {
              deletedFolders.add(run);
              if (run.equals("old")) {
                throw new IOException("the disk is away");
              }
            },
            new RunCleanup.Retention(Duration.ofDays(30), FOREVER),
            InstantSource.fixed(NOW))) {
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(deletedFolders).containsExactly("old", "recent"));
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () ->
                  assertThat(ids("SELECT id FROM runs"))
                      .containsExactlyInAnyOrder("old", "new", "asks"));
    }
  }

  @Test
  void transcriptsMayBeDeletedBeforeTheirRuns() {
    cleans(
        FOREVER,
        Duration.ofDays(30),
        () ->
            assertThat(ids("SELECT run_id FROM transcript_lines"))
                .containsExactlyInAnyOrder("new", "asks"));
    assertThat(ids("SELECT id FROM runs")).hasSize(4);
  }

  @Test
  void retentionForeverDeletesNothing() {
    cleans(FOREVER, FOREVER, () -> assertThat(ids("SELECT id FROM runs")).hasSize(4));
    assertThat(ids("SELECT run_id FROM transcript_lines")).hasSize(4);
  }
}
