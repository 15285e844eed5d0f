package dev.runnel.surface.tracker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Update;
import dev.runnel.surface.kit.ApiResult;
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

  private final Map<IssueStage, String> configuredNames;
  private final Function<I, ApiResult> transitions;
  private final BiFunction<I, String, ApiResult> transition;

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

  /// Changes the status of the issue, unless the run's status post already shows the same stage.
  ///
  /// @return why the status could not be changed
  public Optional<ApiResult.Failure> update(I issue, Update.Status update) {
    var stage = IssueStage.of(update.run().state());
    var name = stage.flatMap(each -> Optional.ofNullable(configuredNames.get(each)));
    if (name.isEmpty() || update.shown().flatMap(IssueStage::of).equals(stage)) {
      return Optional.empty();
    }
    var listed = transitions.apply(issue);
    if (!(listed instanceof ApiResult.Done(var possible))) {
      return listed.failure();
    }
    var id =
        possible
            .valueStream()
            .filter(each -> isNamed(each, name.get()))
            .flatMap(each -> Json.text(each, "id").stream())
            .findFirst();
    if (id.isEmpty()) {
      log.debug("state or transition not available issue={} stage={}", issue, stage.orElseThrow());
      return Optional.empty();
    }
    return transition.apply(issue, id.get()).failure();
  }

  private static boolean isNamed(JsonNode transition, String name) {
    return Stream.of(transition, transition.path("to"))
        .flatMap(each -> Json.text(each, "name").stream())
        .anyMatch(name::equalsIgnoreCase);
  }
}
