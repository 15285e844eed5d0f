package dev.runnel.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.database.Database;
import dev.runnel.testkit.Postgres;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The service has the same tables on SQLite and on PostgreSQL: a migration of one needs one of the
/// other.
@Tag("slow")
class TablesOfBothKindsTest {
  /// Of PostgreSQL only: what SQLite has by itself, or never needs.
  private static final List<String> OF_POSTGRES = List.of("imports.node_name", "run_events.number");

  @Test
  void sqliteAndPostgresTablesHaveTheSameColumns() throws Exception {
    try (var sqlite = ServiceTables.migrate(Database.inMemory());
        var postgres =
            ServiceTables.migrate(
                Database.postgres(Postgres.freshDatabase(), ServiceTables.SCHEMA))) {
      List<String> expected =
          sqlite.write(
              rows ->
                  rows.list(
                      """
                      SELECT tables.name || '.' || columns.name FROM sqlite_master AS tables
                      JOIN pragma_table_info(tables.name) AS columns
                      WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite%'
                        AND tables.name NOT LIKE 'run_texts%' AND tables.name NOT LIKE 'flyway%'
                      """,
                      row -> row.getString(1)));
      List<String> found =
          postgres.read(
              rows ->
                  rows.list(
                      """
                      SELECT table_name || '.' || column_name FROM information_schema.columns
                      WHERE table_schema = current_schema() AND table_name NOT LIKE 'flyway%'
                      """,
                      row -> row.getString(1)));

      assertThat(found)
          .containsAll(OF_POSTGRES)
          .filteredOn(column -> !OF_POSTGRES.contains(column))
          .containsExactlyInAnyOrderElementsOf(expected);
    }
  }
}
