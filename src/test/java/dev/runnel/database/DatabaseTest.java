package dev.runnel.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
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
  void aNewFileAndItsLogsAreTheirOwnersAlone() throws IOException {
    try (var database = Database.sqlite(folder.resolve("sub/test.db"))) {
      database.write(rows -> rows.change("CREATE TABLE t (a INTEGER)"));

      assertThat(permissions("sub")).isEqualTo("rwx------");
      assertThat(permissions("sub/test.db")).isEqualTo("rw-------");
      assertThat(permissions("sub/test.db-wal")).isEqualTo("rw-------");
      assertThat(permissions("sub/test.db-shm")).isEqualTo("rw-------");
    }
  }

  @Test
  void aFileThatOthersCouldReadIsClosedToThemWithItsLogs() throws IOException {
    var copy = folder.resolve("copy.db");
    try (var database = Database.sqlite(folder.resolve("test.db"))) {
      database.write(rows -> rows.change("CREATE TABLE t (a INTEGER)"));
      // As a process leaves it that was killed.
      Files.copy(folder.resolve("test.db"), copy);
      Files.copy(folder.resolve("test.db-wal"), folder.resolve("copy.db-wal"));
    }
    for (var name : List.of("copy.db", "copy.db-wal")) {
      Files.setPosixFilePermissions(
          folder.resolve(name), PosixFilePermissions.fromString("rw-r--r--"));
    }
    try (var database = Database.sqlite(copy)) {
      database.read(rows -> rows.list("SELECT a FROM t", row -> row.getInt(1)));

      for (var name : List.of("copy.db", "copy.db-wal", "copy.db-shm")) {
        assertThat(permissions(name)).as(name).isEqualTo("rw-------");
      }
    }
  }

  private String permissions(String name) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve(name)));
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
