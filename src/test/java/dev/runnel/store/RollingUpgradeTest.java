package dev.runnel.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.database.Database;
import dev.runnel.database.Rows;
import dev.runnel.testkit.Postgres;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The rule of docs/decisions/0008: the tables of the newest version serve the version before. That
/// the newest version goes on with the rows of an older one is shown by `OldRowsTest` and
/// `RecordedDataTest`, on a database that an older one wrote.
@Tag("slow")
class RollingUpgradeTest {
  private static final Path MIGRATIONS = Path.of("src/main/resources/db/bot");
  private static final Pattern TAKES_AWAY =
      Pattern.compile("\\b(DROP|RENAME|DELETE|UPDATE|TRUNCATE)\\b|\\bALTER\\s+COLUMN\\b");

  /// What the first version says to its tables.
  private static final List<String> V1 =
      List.of(
          "INSERT INTO inbox (id, meaning, conversation, seq, overtakes, body, due_at) VALUES"
              + " ('d1', 'm1', 'fake:1', 1, 0, '{}', 1) ON CONFLICT DO NOTHING",
          "UPDATE inbox SET tries = tries + 1 WHERE id = 'd1' AND state = 0",
          "UPDATE inbox SET due_at = 2, why = 'later' WHERE id = 'd1' AND state = 0",
          "UPDATE inbox SET conversation = 'fake:2', body = '{}', tries = 0, why = NULL WHERE id ="
              + " 'd1' AND state = 0",
          "UPDATE inbox SET state = 1, ended_at = 3, why = NULL WHERE id = 'd1' AND state = 0",
          "INSERT INTO bindings (conversation, run, active, since, status_post, version, body)"
              + " VALUES ('fake:1', 'r1', 1, 1, NULL, 1, '{}') ON CONFLICT (conversation) DO UPDATE"
              + " SET run = excluded.run, active = excluded.active, since = excluded.since,"
              + " status_post = excluded.status_post, version = bindings.version + 1, body ="
              + " excluded.body",
          "UPDATE bindings SET run = 'r1', active = 0, version = version + 1, body = '{}' WHERE"
              + " conversation = 'fake:1' AND version = 1",
          "UPDATE bindings SET status_post = 'p1', version = version + 1 WHERE conversation ="
              + " 'fake:1' AND run = 'r1'",
          "INSERT INTO outbox (id, conversation, seq, status_of, body, due_at) VALUES ('n1',"
              + " 'fake:1', 1, 'r1', '{}', 1)",
          "UPDATE outbox SET state = 1, ended_at = 3, post = 'p1', why = NULL WHERE id = 'n1' AND"
              + " state = 0",
          "INSERT INTO scheduled_tasks (task_name, task_instance, execution_time, picked, version)"
              + " VALUES ('dispatch', 'fake:1', CURRENT_TIMESTAMP, false, 1)");

  @TempDir Path folder;

  @Test
  void migrationsRemoveNothing() throws IOException {
    try (var files = Files.list(MIGRATIONS)) {
      assertThat(files)
          .isNotEmpty()
          .allSatisfy(
              file ->
                  assertThat(TAKES_AWAY.matcher(statements(file)).find())
                      .as("%s takes something away", file.getFileName())
                      .isFalse());
    }
  }

  @Test
  void addedColumnsAreOptional() throws IOException {
    try (var files = Files.list(MIGRATIONS)) {
      assertThat(files)
          .allSatisfy(
              file ->
                  assertThat(
                          Pattern.compile("ADD COLUMN[^;]*")
                              .matcher(statements(file))
                              .results()
                              .map(match -> match.group())
                              .filter(each -> each.contains("NOT NULL"))
                              .filter(each -> !each.contains("DEFAULT")))
                      .isEmpty());
    }
  }

  private static String statements(Path file) throws IOException {
    return Files.readString(file, StandardCharsets.UTF_8)
        .replaceAll("--.*", "")
        .toUpperCase(Locale.ROOT);
  }

  abstract static class Contract {
    abstract Database database() throws SQLException;

    @Test
    void statementsOfTheFirstVersionStillWork() throws Exception {
      try (var database = database().migrate(SqlStore.SCHEMA)) {
        for (var statement : V1) {
          assertThat(database.<Integer>write(rows -> rows.change(statement))).as(statement).isOne();
        }
        assertThat(database.<List<String>>read(Contract::ended))
            .containsExactly("d1 1 0 fake:2", "n1 1 0 fake:1");
      }
    }

    private static List<String> ended(Rows rows) throws SQLException {
      return rows.list(
          "SELECT id, state, tries, conversation FROM inbox UNION ALL SELECT id, state, tries,"
              + " conversation FROM outbox ORDER BY id",
          row ->
              String.join(
                  " ", row.getString(1), row.getString(2), row.getString(3), row.getString(4)));
    }
  }

  @Nested
  class OnSqlite extends Contract {
    @Override
    Database database() {
      return Database.sqlite(folder.resolve("runnel.db"));
    }

    @Test
    void manyRowsAreForgottenInSmallCommits() {
      try (var database = database();
          var _ = new SqlStore(database, InstantSource.system())) {
        database.write(
            rows ->
                rows.change(
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1700)"
                        + " INSERT INTO inbox (id, meaning, conversation, seq, overtakes, body,"
                        + " state, due_at, ended_at) SELECT 'd' || i, 'm' || i, 'c', i, 0, '{}', 1"
                        + " + i % 2, 1, i FROM n"));
        var first = Instant.EPOCH.plusNanos(1_601_000);
        var second = Instant.EPOCH.plusNanos(101_000);

        // All that is done and older, and of what was given up only what is much older.
        assertThat(new RowCleanup(database, Retention.DEFAULT).deleteEnded(first, second))
            .isEqualTo(800 + 50);
        assertThat(
                database.<Optional<Long>>read(
                    rows -> rows.first("SELECT count(*) FROM inbox", row -> row.getLong(1))))
            .contains(850L);
      }
    }
  }

  @Nested
  class OnPostgres extends Contract {
    @Override
    Database database() throws SQLException {
      return Database.postgres(Postgres.freshDatabase());
    }
  }
}
