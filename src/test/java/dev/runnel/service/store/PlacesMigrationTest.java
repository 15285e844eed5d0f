package dev.runnel.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.scope.ConversationScope;
import dev.runnel.database.Database;
import dev.runnel.testkit.Postgres;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Runs of before get the place that a run gets now; those of Jira's issues get `jira`, because
/// projects are places only for later runs.
class PlacesMigrationTest {
  private static final List<String> CONVERSATIONS =
      List.of(
          "slack:T1/C1/1700000000.000100",
          "github:acme/shop#12",
          "gitlab:acme/tools/shop!7",
          "gitlab:acme/tools/shop#8",
          "jira:SHOP-12",
          "gitea:acme/shop#1",
          "console:runs/abc-1",
          "hook:alerts/x#1!2");

  @Test
  void placesAreMigratedInSqlite() throws IOException {
    try (var database = ServiceTables.migrate(Database.inMemory())) {
      check(database, "service");
    }
  }

  @Test
  @Tag("slow")
  void placesAreMigratedInPostgres() throws Exception {
    try (var database =
        ServiceTables.migrate(Database.postgres(Postgres.freshDatabase(), ServiceTables.SCHEMA))) {
      check(database, "service-postgres");
    }
  }

  private static void check(Database database, String kind) throws IOException {
    var sql = migration(kind);
    List<String> places =
        database.write(
            rows -> {
              for (var conversation : CONVERSATIONS) {
                rows.change(
                    """
                    INSERT INTO runs (id, state, title, prompt, source, created_at, updated_at,
                      queued_at, conversation_id)
                    VALUES (?, 'SUCCEEDED', '', '', 'API', 1, 1, 1, ?)
                    """,
                    conversation,
                    conversation);
                rows.change(
                    "INSERT INTO run_metadata (run_id, name, value) VALUES (?, ?, ?)",
                    conversation,
                    "runnel.conversation",
                    conversation);
              }
              rows.change(sql);
              // A second time, nothing is left to do.
              assertThat(rows.change(sql)).isZero();
              return rows.list(
                  "SELECT run_id, value FROM run_metadata WHERE name = 'runnel.place'",
                  row -> row.getString(1) + " in " + row.getString(2));
            });

    assertThat(places)
        .containsExactlyInAnyOrderElementsOf(
            CONVERSATIONS.stream().map(it -> it + " in " + place(Conversation.parse(it))).toList());
  }

  private static String place(Conversation conversation) {
    return conversation.isNumbered()
        ? conversation.surface().value()
        : ConversationScope.here(conversation);
  }

  private static String migration(String kind) throws IOException {
    try (var file =
        PlacesMigrationTest.class.getResourceAsStream("/db/" + kind + "/V57__find_runs.sql")) {
      return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8)
          .strip()
          .replaceFirst("(?s)^.*?;", "")
          .replaceFirst(";$", "");
    }
  }
}
