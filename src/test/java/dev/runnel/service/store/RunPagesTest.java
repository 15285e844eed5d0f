package dev.runnel.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.service.run.Caller;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.store.query.RunQuery;
import dev.runnel.testkit.MigratedFile;
import dev.runnel.testkit.RunChanges;
import dev.runnel.testkit.SettableClock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunPagesTest {
  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"asc", "desc"})
  void eachRunIsOnOnePageOfAListByAgentWhateverItsSkill(String order) {
    try (var database =
        MigratedFile.open(folder.resolve("agent-runs.db"), ServiceTables.ON_SQLITE)) {
      var clock = new SettableClock();
      var runs = RunChanges.on(database, clock).runs();
      for (var skill : List.of("", "acme/shop:review", " ", "")) {
        var request = ServiceJson.newObject().put("prompt", "x");
        request.putObject("config").put("skill_spec", skill);
        runs.create(NewRun.parse(request), Caller.MAIN, Optional.empty(), Optional.empty());
      }

      assertThat(pages(new RunQueries(database), order)).hasSize(4).doesNotHaveDuplicates();
    }
  }

  /// The ids on the first pages of one run each.
  private static List<String> pages(RunQueries queries, String order) {
    var ids = new ArrayList<String>();
    Map<String, List<String>> query =
        new HashMap<>(
            Map.of(
                "sort_by", List.of("agent"), "sort_order", List.of(order), "limit", List.of("1")));
    for (int page = 0; page < 10; page++) {
      var found = queries.list(RunQuery.parse(query));
      found.runs().stream().map(RunRow::id).forEach(ids::add);
      if (found.nextCursor().isEmpty()) {
        break;
      }
      query.put("cursor", List.of(found.nextCursor().get()));
    }
    return ids;
  }
}
