package dev.runnel.core.scope;

import dev.runnel.core.model.run.RunOptions;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/// The ids of the embedded service's environments. Rules, approvals and budgets name environments
/// by their ids, while people may also write a display name, or none for the default environment.
///
/// @param byName the ids by display name
/// @param byDefault the environment of runs that select none
/// @param areAll whether there are no others
public record EnvironmentIds(
    Map<String, String> byName, Optional<String> byDefault, boolean areAll) {
  /// Another service has environments of its own, which are unknown here.
  public static final EnvironmentIds UNKNOWN =
      new EnvironmentIds(Map.of(), Optional.empty(), false);

  /// All environments that there are.
  public EnvironmentIds(Map<String, String> byName, Optional<String> byDefault) {
    this(byName, byDefault, true);
  }

  public EnvironmentIds {
    byName = Map.copyOf(byName);
  }

  /// @param name an id or a display name
  public String of(String name) {
    return byName.getOrDefault(name, name);
  }

  /// What is wrong with a chosen environment, for people; empty if it exists or may exist.
  public Optional<String> problem(String chosen) {
    if (!areAll || byName.containsKey(chosen) || byName.containsValue(chosen)) {
      return Optional.empty();
    }
    return Optional.of(
        "There is no environment `%s`. %s"
            .formatted(
                chosen,
                byName.isEmpty()
                    ? "None are configured yet."
                    : "There are: " + String.join(", ", new TreeSet<>(byName.values())) + "."));
  }

  /// The options with the id of the environment in which the run will work. A factory chooses those
  /// of its runs.
  public RunOptions of(RunOptions options) {
    var named = options.environment().map(this::of);
    return options.withEnvironment(
        options.factory().isPresent() ? named : named.or(() -> byDefault));
  }
}
