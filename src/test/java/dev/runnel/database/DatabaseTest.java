package dev.runnel.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabaseTest {
  @TempDir Path folder;

  @Test
  void anUnreachableServerDoesNotGivePasswordsAway() {
    var url = "jdbc:postgresql://u:open-sesame@localhost:1/runnel?password=open-sesame";

    assertThatThrownBy(() -> Database.postgres(url))
        .isInstanceOf(DatabaseException.class)
        .hasNoCause()
        .hasMessageNotContaining("open-sesame");
  }

  @Test
  void aFileIsSafeAgainstPowerCutsAndReadBesideTheWriter() {
    try (var database = Database.sqlite(folder.resolve("sub/test.db"))) {
      assertThat(pragma(database, "journal_mode")).isEqualTo("wal");
      assertThat(
              database.<String>write(
                  rows -> rows.first("PRAGMA synchronous", row -> row.getString(1)).orElseThrow()))
          .isEqualTo("2");
    }
  }

  @Test
  void aStepThatThrowsLeavesNothing() {
    try (var database = Database.sqlite(folder.resolve("test.db"))) {
      database.write(rows -> rows.change("CREATE TABLE t (a INTEGER)"));

      assertThatThrownBy(
              () ->
                  database.write(
                      rows -> {
                        rows.change("INSERT INTO t VALUES (?)", 1);
                        throw new IllegalStateException("crash");
                      }))
          .hasMessage("crash");

      assertThat(
              database.<Integer>read(
                  rows -> rows.first("SELECT count(*) FROM t", row -> row.getInt(1)).orElseThrow()))
          .isZero();
    }
  }

  private static String pragma(Database database, String name) {
    return database.read(
        rows -> rows.first("PRAGMA " + name, row -> row.getString(1)).orElseThrow());
  }
}
