package dev.runnel.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.database.Database;
import dev.runnel.testkit.MigratedFile;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunErasureTest {
  @TempDir Path folder;
  private Database database;

  @BeforeEach
  void open() {
    database = MigratedFile.open(folder.resolve("agent-runs.db"), ServiceTables.ON_SQLITE);
    database.write(
        rows ->
            rows.change(
                "INSERT INTO runs (id, state, title, prompt, source, created_at, updated_at,"
                    + " queued_at) VALUES ('r1', 'SUCCEEDED', 't', ?, 'API', 1, 1, 1)",
                "paint it\n\nblue\n\nbluefish"));
  }

  @AfterEach
  void close() {
    database.close();
  }

  private void followUp(String key, String message) {
    database.write(
        rows ->
            rows.change(
                "INSERT INTO follow_ups (id, run_id, message, created_at, request_key) VALUES (?,"
                    + " 'r1', ?, 1, ?)",
                "id of " + key,
                message,
                key));
  }

  private void line(int number, String kind, String text) {
    database.write(
        rows ->
            rows.change(
                "INSERT INTO transcript_lines (run_id, number, execution, kind, said_at, text)"
                    + " VALUES ('r1', ?, 1, ?, 1, ?)",
                number,
                kind,
                text));
  }

  private List<String> texts(String sql) {
    return database.read(rows -> rows.list(sql, row -> row.getString(1)));
  }

  @Test
  void deletedFollowUpIsRemovedFromEveryPrompt() {
    followUp("of-ann", "blue");
    followUp("of-bob", "green");
    line(1, "ASKED", "blue");
    line(2, "ASKED", "green\n\nblue");
    line(3, "ASKED", "blue\n\nblue\n\nbluefish");
    line(4, "SAID", "blue is nice");

    var deleted = new RunErasure(database).deleteFollowUps(List.of("of-ann"));

    assertThat(deleted).isEqualTo(1);
    assertThat(texts("SELECT message FROM follow_ups")).containsExactly("green");
    assertThat(texts("SELECT text FROM transcript_lines ORDER BY number"))
        .containsExactly(
            "green\n\n(deleted)", "(deleted)\n\n(deleted)\n\nbluefish", "blue is nice");
    assertThat(texts("SELECT prompt FROM runs"))
        .containsExactly("paint it\n\n(deleted)\n\nbluefish");
  }
}
