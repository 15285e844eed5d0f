package dev.runnel.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.database.Database;
import dev.runnel.service.store.query.RunQuery;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Lists of the console find their page by an index, however many runs there are.
class RunQueryPlanTest {
  /// How SQLite finds the ids of a page.
  private static String plan(String query) {
    Map<String, List<String>> parameters =
        Arrays.stream(query.split("&"))
            .map(it -> it.split("=", 2))
            .collect(
                Collectors.groupingBy(
                    it -> it[0], Collectors.mapping(it -> it[1], Collectors.toList())));
    try (var database = ServiceTables.migrate(Database.inMemory())) {
      List<String> steps =
          database.write(
              rows -> {
                var statement = RunQuery.parse(parameters).statement("id", rows);
                return rows.list(
                    "EXPLAIN QUERY PLAN " + statement.sql(),
                    row -> row.getString("detail"),
                    statement.parameters());
              });
      return String.join("\n", steps);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "state=FAILED&state=ERROR&sort_by=created_at, runs_state_created",
    "state=SUCCEEDED&sort_by=created_at, runs_state_created",
    "source=SLACK&sort_by=created_at, runs_source_created",
    "model_id=opus&sort_by=created_at, runs_model_created",
    "sort_by=created_at, runs_created"
  })
  void pageQueryUsesACoveringIndex(String query, String index) {
    assertThat(plan(query)).contains("COVERING INDEX " + index);
  }

  @Test
  void blockedRunsAreFoundByTheStateIndex() {
    assertThat(plan("state=BLOCKED&source=SLACK&sort_by=created_at"))
        .contains("runs_state_created (state=?)");
  }

  @Test
  void queueQueryUsesIndexes() {
    try (var database = ServiceTables.migrate(Database.inMemory())) {
      List<String> steps =
          database.write(
              rows ->
                  rows.list(
                      "EXPLAIN QUERY PLAN " + WaitingRuns.HEADS,
                      row -> row.getString("detail"),
                      0L));
      assertThat(steps)
          .filteredOn(each -> each.matches(".*\\b(runs|root)\\b.*"))
          .hasSize(6)
          .allMatch(
              each ->
                  each.contains("INDEX runs_queue_people")
                      || each.contains("INDEX runs_last_served")
                      || each.contains("INDEX runs_updated")
                      || each.contains("(id=?)"));
    }
  }
}
