package dev.runnel.surface.tracker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.run.RunState;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.BoundedCaches;
import dev.runnel.surface.kit.Json;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Changes the status of an issue as its run progresses, by the states or transitions that the
/// settings name. Optional: if the issue has no such state or transition now, nothing happens.
/// Thread-safe.
///
/// @param <I> the key of an issue
public final class IssueProgress<I> {
  private static final Logger log = LoggerFactory.getLogger(IssueProgress.class);
  private static final int MAX_REMEMBERED = 1_000;

  private final Map<IssueStage, String> configuredNames;
  private final Function<I, ApiResult> transitions;
  private final BiFunction<I, String, ApiResult> transition;
  // Prevents calls that would change nothing.
  private final Map<I, IssueStage> lastStages = BoundedCaches.map(MAX_REMEMBERED);

  /// @param configuredNames the names of states or transitions in the settings
  /// @param transitions lists the transitions that are possible now, each with its `id` and its
  ///   `name`, or the name of the state that it leads `to`
  /// @param transition makes a transition, by its id
  public IssueProgress(
      Map<IssueStage, String> configuredNames,
      Function<I, ApiResult> transitions,
      BiFunction<I, String, ApiResult> transition) {
    this.configuredNames = configuredNames;
    this.transitions = transitions;
    this.transition = transition;
  }

  public void update(I issue, RunState run) {
    var stage = IssueStage.of(run);
    var name = stage.flatMap(each -> Optional.ofNullable(configuredNames.get(each)));
    if (stage.isEmpty() || name.isEmpty() || lastStages.put(issue, stage.get()) == stage.get()) {
      return;
    }
    if (!(transitions.apply(issue) instanceof ApiResult.Done(var possible))) {
      lastStages.remove(issue);
      return;
    }
    var id =
        possible
            .valueStream()
            .filter(each -> isNamed(each, name.get()))
            .flatMap(each -> Json.text(each, "id").stream())
            .findFirst();
    if (id.isEmpty()) {
      log.debug("state or transition not available issue={} stage={}", issue, stage.get());
    } else if (!(transition.apply(issue, id.get()) instanceof ApiResult.Done)) {
      lastStages.remove(issue);
    }
  }

  private static boolean isNamed(JsonNode transition, String name) {
    return Stream.of(transition, transition.path("to"))
        .flatMap(each -> Json.text(each, "name").stream())
        .anyMatch(name::equalsIgnoreCase);
  }
}
