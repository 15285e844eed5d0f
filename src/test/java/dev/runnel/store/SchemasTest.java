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
  void aSchemaKnowsItsNewestScript(Schema schema) throws IOException {
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
  void tablesThatMissTheNewestScriptAreBroughtUpToDate() {
    var file = folder.resolve("test.db");
    try (var database = Database.sqlite(file).migrate(SqlStore.SCHEMA)) {
      database.write(
          rows ->
              rows.change("DELETE FROM flyway_schema_history WHERE version = '50'")
                  + rows.change("DROP TABLE schedules"));
    }

    try (var database = Database.sqlite(file).migrate(SqlStore.SCHEMA)) {
      assertThat(database.version()).contains("50");
      assertThat(
              database.<Long>read(
                  rows ->
                      rows.first("SELECT count(*) FROM schedules", row -> row.getLong(1))
                          .orElseThrow()))
          .isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({"49, false", "50, false", "51, true", "no number, true"})
  void aDatabaseWithALaterScriptIsNewer(String version, boolean isNewer) {
    assertThat(SqlStore.SCHEMA.isOlderThan(version)).isEqualTo(isNewer);
  }
}
