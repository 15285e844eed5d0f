package dev.runnel.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.database.Database;
import dev.runnel.service.run.NodeIdentity;
import dev.runnel.testkit.Postgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Moves a file that an older version wrote: two runs ended, one is blocked, one is in progress.
@Tag("slow")
class RunImportTest {
  private static final NodeIdentity NODE = new NodeIdentity("node-1", "host-1", "/data");
  private static final String SUCCEEDED = "d8f98d58-9fab-447c-8afc-41c3d95a08e1";
  private static final String BLOCKED = "384f4a8e-0525-4911-872e-fd9fa143a353";
  private static final String IN_PROGRESS = "a1a17f86-31ea-4678-9cc9-2f80cf0a7f66";

  @TempDir Path folder;
  private Database file;
  private Database server;

  @BeforeEach
  void open() throws Exception {
    var copy = folder.resolve("agent-runs.db");
    Files.copy(Path.of("src/test/resources/upgrade/agent-runs.db"), copy);
    file = ServiceTables.migrate(Database.sqlite(copy));
    server =
        ServiceTables.migrate(Database.postgres(Postgres.freshDatabase(), ServiceTables.SCHEMA));
  }

  @AfterEach
  void close() {
    file.close();
    server.close();
  }

  private int move() {
    return RunImport.copy(file, server, NODE);
  }

  private static void change(Database database, String sql, Object... parameters) {
    int _ = database.write(rows -> rows.change(sql, parameters));
  }

  private List<String> onServer(String column, String table, String run) {
    return server.read(
        rows ->
            rows.list(
                "SELECT %s FROM %s WHERE %s = ? ORDER BY 1"
                    .formatted(column, table, table.equals("runs") ? "id" : "run_id"),
                row -> row.getString(1),
                run));
  }

  @Test
  void importMovesAllRunsOfTheFile() {
    assertThat(move()).isEqualTo(4);

    assertThat(onServer("state", "runs", SUCCEEDED)).containsExactly("SUCCEEDED");
    assertThat(onServer("place", "runs", SUCCEEDED)).containsExactly("/data");
    assertThat(onServer("text", "transcript_lines", SUCCEEDED)).hasSize(2);
    assertThat(onServer("node_name", "claims", IN_PROGRESS)).containsExactly("node-1");
  }

  @Test
  void importOfAnUnchangedFileMovesNothing() {
    move();
    change(server, "DELETE FROM transcript_lines WHERE run_id = ?", SUCCEEDED);
    change(
        server,
        "UPDATE runs SET state = 'CANCELLED', updated_at = updated_at + 1 WHERE id = ?",
        BLOCKED);

    assertThat(move()).isZero();
    assertThat(onServer("text", "transcript_lines", SUCCEEDED)).isEmpty();
    assertThat(onServer("state", "runs", BLOCKED)).containsExactly("CANCELLED");
  }

  /// After a rollback the older version works with the file, and a later upgrade moves it again.
  @Nested
  class AfterARollback {
    private static final String STARTED = "11111111-9fab-447c-8afc-41c3d95a08e1";

    @BeforeEach
    void rollBack() {
      move();
    }

    private void startInFile(String state) {
      change(
          file,
          """
          INSERT INTO runs (id, state, title, prompt, source, created_at, updated_at, queued_at,
            execution, pid)
          VALUES (?, ?, 'title', 'prompt', 'API', 1, 1, 1, 1, 4711)
          """,
          STARTED,
          state);
      change(
          file,
          """
          INSERT INTO transcript_lines (run_id, number, execution, kind, said_at, text)
          VALUES (?, 1, 1, 'SAID', 1, 'said after the rollback')
          """,
          STARTED);
    }

    @Test
    void importMovesRunsThatAnOlderVersionStarted() {
      startInFile("SUCCEEDED");

      assertThat(move()).isOne();
      assertThat(onServer("state", "runs", STARTED)).containsExactly("SUCCEEDED");
      assertThat(onServer("text", "transcript_lines", STARTED))
          .containsExactly("said after the rollback");
    }

    @Test
    void importMovesRunsThatAnOlderVersionChanged() {
      change(server, "UPDATE runs SET state = 'FAILED', updated_at = updated_at + 1");
      change(
          file,
          "UPDATE runs SET state = 'SUCCEEDED', updated_at = updated_at + 2 WHERE id = ?",
          BLOCKED);
      change(
          file,
          """
          INSERT INTO transcript_lines (run_id, number, execution, kind, said_at, text)
          VALUES (?, 3, 2, 'SAID', 1, 'said after the rollback')
          """,
          BLOCKED);

      assertThat(move()).isOne();
      assertThat(onServer("state", "runs", BLOCKED)).containsExactly("SUCCEEDED");
      assertThat(onServer("text", "transcript_lines", BLOCKED))
          .hasSize(3)
          .contains("said after the rollback");
      assertThat(onServer("state", "runs", SUCCEEDED)).containsExactly("FAILED");
    }

    @Test
    void importGivesAClaimToARunThatWasLeftInProgress() {
      startInFile("INPROGRESS");

      move();

      assertThat(onServer("claim", "runs", STARTED))
          .isNotEmpty()
          .isEqualTo(onServer("token", "claims", STARTED));
      assertThat(onServer("pid", "claims", STARTED)).containsExactly("4711");
      assertThat(onServer("node_name", "claims", STARTED)).containsExactly("node-1");
    }
  }
}
