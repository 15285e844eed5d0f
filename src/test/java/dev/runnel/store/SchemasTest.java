package dev.runnel.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.database.Database;
import dev.runnel.database.Schema;
import dev.runnel.service.store.ServiceTables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SchemasTest {
  private static final Path SCRIPTS = Path.of("src/main/resources");

  @TempDir Path folder;

  static List<Schema> schemas() {
    return List.of(SqlStore.SCHEMA, ServiceTables.ON_SQLITE, ServiceTables.ON_POSTGRES);
  }

  @ParameterizedTest
  @MethodSource("schemas")
  void schemaVersionEqualsItsNewestMigration(Schema schema) throws IOException {
    try (Stream<Path> scripts = Files.list(SCRIPTS.resolve(schema.location()))) {
      assertThat(
              scripts.mapToInt(
                  each ->
                      Integer.parseInt(
                          each.getFileName().toString().replaceAll("V(\\d+)__.*", "$1"))))
          .contains(schema.newest())
          .allMatch(each -> each <= schema.newest());
    }
  }

  @Test
  void missingNewestMigrationIsApplied() {
    var file = folder.resolve("test.db");
    try (var database = Database.sqlite(file).migrate(SqlStore.SCHEMA)) {
      database.write(
          rows ->
              rows.change("DELETE FROM flyway_schema_history WHERE version = '51'")
                  + rows.change("ALTER TABLE outbox DROP COLUMN urgency")
                  + rows.change("ALTER TABLE outbox DROP COLUMN person")
                  + rows.change("ALTER TABLE inbox DROP COLUMN urgency")
                  + rows.change("ALTER TABLE inbox DROP COLUMN person"));
    }

    try (var database = Database.sqlite(file).migrate(SqlStore.SCHEMA)) {
      assertThat(database.version()).contains("51");
      assertThat(
              database.<Long>read(
                  rows ->
                      rows.first("SELECT count(person) FROM outbox", row -> row.getLong(1))
                          .orElseThrow()))
          .isZero();
    }
  }

  @Test
  void skippedOlderMigrationIsApplied() throws IOException {
    var scripts = SCRIPTS.resolve(ServiceTables.ON_SQLITE.location());
    var older = Files.createDirectory(folder.resolve("older"));
    for (var number : List.of(1, 2, 4, 5, 6, 8, 9, 11, 13, 26, 27, 37)) {
      try (var named = Files.newDirectoryStream(scripts, "V" + number + "__*.sql")) {
        var script = named.iterator().next();
        Files.copy(script, older.resolve(script.getFileName()));
      }
    }
    var file = folder.resolve("test.db");
    try (var database = Database.sqlite(file)) {
      Flyway.configure()
          .dataSource(database.dataSource())
          .locations("filesystem:" + older)
          .load()
          .migrate();
    }

    try (var database = Database.sqlite(file).migrate(ServiceTables.ON_SQLITE)) {
      assertThat(database.version()).contains("60");
      assertThat(
              database.<Long>read(
                  rows ->
                      rows.first("SELECT count(*) FROM claims", row -> row.getLong(1))
                          .orElseThrow()))
          .isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({"50, false", "51, false", "52, true", "no number, true"})
  void databaseWithALaterMigrationIsRecognizedAsNewer(String version, boolean isNewer) {
    assertThat(SqlStore.SCHEMA.isOlderThan(version)).isEqualTo(isNewer);
  }
}
