package dev.runnel.surface.linear;

import dev.runnel.core.model.run.RunState;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.BoundedCaches;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.tracker.IssueStage;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Moves an issue into the workflow states that the settings name as its run progresses. Optional:
/// if the team has no such state, nothing happens. Thread-safe.
final class LinearProgress {
  private static final Logger log = LoggerFactory.getLogger(LinearProgress.class);
  private static final int MAX_REMEMBERED = 1_000;

  private final LinearApi api;
  private final Map<IssueStage, String> states;

  /// By issue; avoids calls that would change nothing.
  private final Map<String, IssueStage> last = BoundedCaches.map(MAX_REMEMBERED);

  LinearProgress(LinearApi api, Map<IssueStage, String> states) {
    this.api = api;
    this.states = states;
  }

  void show(String issue, RunState run) {
    var stage = IssueStage.of(run);
    var name = stage.flatMap(each -> Optional.ofNullable(states.get(each)));
    if (stage.isEmpty() || name.isEmpty() || last.put(issue, stage.get()) == stage.get()) {
      return;
    }
    if (!(api.states(issue) instanceof ApiResult.Done(var found))) {
      last.remove(issue);
      return;
    }
    var state =
        found
            .path("team")
            .path("states")
            .path("nodes")
            .valueStream()
            .filter(
                each -> Json.text(each, "name").filter(name.get()::equalsIgnoreCase).isPresent())
            .flatMap(each -> Json.text(each, "id").stream())
            .findFirst();
    if (state.isEmpty()) {
      log.debug("state not there issue={} stage={}", issue, stage.get());
    } else if (!(api.move(issue, state.get()) instanceof ApiResult.Done)) {
      last.remove(issue);
    }
  }
}
