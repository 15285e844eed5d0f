package dev.runnel.service.workspace;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The configured environments.
///
/// @param defaultEnvironment the environment of runs that request none
/// @param variableValues the values of all variables that environments name, including the tokens
///   of their repositories
public record Environments(
    List<Environment> all,
    Optional<Environment> defaultEnvironment,
    Map<String, String> variableValues) {
  public static final Environments NONE = new Environments(List.of(), Optional.empty(), Map.of());

  public Environments {
    all = List.copyOf(all);
    variableValues = Map.copyOf(variableValues);
  }

  /// The environment of a run.
  ///
  /// @param id uid or name as requested; blank for the default
  /// @return empty if there is no such environment
  public Optional<Environment> find(String id) {
    if (id.isBlank()) {
      return Optional.of(defaultEnvironment.orElse(Environment.NONE));
    }
    return all.stream()
        .filter(each -> each.uid().equals(id))
        .findFirst()
        .or(() -> all.stream().filter(each -> each.name().equals(id)).findFirst());
  }

  /// The message for a caller who requests an environment that does not exist.
  public String notFoundMessage(String id) {
    return "There is no environment %s here. %s"
        .formatted(
            id,
            all.isEmpty()
                ? "None are configured: agents.environments in runnel.yaml."
                : "There are: "
                    + all.stream().map(Environment::uid).collect(Collectors.joining(", "))
                    + ".");
  }

  /// The environment's variables for setup commands and the agent.
  public Map<String, String> variables(Environment environment) {
    var values = new HashMap<String, String>();
    for (var name : environment.variables()) {
      Optional.ofNullable(variableValues.get(name)).ifPresent(value -> values.put(name, value));
    }
    return values;
  }

  /// Names of the variables that hold tokens for git.
  public Set<String> tokens() {
    return all.stream()
        .flatMap(each -> each.repositories().stream())
        .flatMap(repository -> repository.token().stream())
        .collect(Collectors.toSet());
  }

  /// Leaves out the values of variables.
  @Override
  public String toString() {
    return "Environments" + all.stream().map(Environment::uid).toList();
  }
}
