package dev.runnel.service.workspace;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The environments there are.
///
/// @param byDefault the one for runs that name none
/// @param lent the values of all variables that environments and their tokens name
public record Environments(
    List<Environment> all, Optional<Environment> byDefault, Map<String, String> lent) {
  public static final Environments NONE = new Environments(List.of(), Optional.empty(), Map.of());

  public Environments {
    all = List.copyOf(all);
    lent = Map.copyOf(lent);
  }

  /// The environment of a run.
  ///
  /// @param id its uid or name as the request has it; blank for the default
  /// @return empty when there is none of that name
  public Optional<Environment> find(String id) {
    if (id.isBlank()) {
      return Optional.of(byDefault.orElse(Environment.NONE));
    }
    return all.stream()
        .filter(each -> each.uid().equals(id))
        .findFirst()
        .or(() -> all.stream().filter(each -> each.name().equals(id)).findFirst());
  }

  /// What to tell who names an environment that is not there.
  public String noneIs(String id) {
    return "There is no environment %s here. %s"
        .formatted(
            id,
            all.isEmpty()
                ? "None are set up: agents.environments in runnel.yaml."
                : "There are: "
                    + all.stream().map(Environment::uid).collect(Collectors.joining(", "))
                    + ".");
  }

  /// The variables that an environment lends to setup and agent.
  public Map<String, String> variables(Environment environment) {
    var values = new HashMap<String, String>();
    for (var name : environment.variables()) {
      Optional.ofNullable(lent.get(name)).ifPresent(value -> values.put(name, value));
    }
    return values;
  }

  /// The names of the variables that hold git's tokens.
  public Set<String> tokens() {
    return all.stream()
        .flatMap(each -> each.repositories().stream())
        .flatMap(repository -> repository.token().stream())
        .collect(Collectors.toSet());
  }

  /// Never the values.
  @Override
  public String toString() {
    return "Environments" + all.stream().map(Environment::uid).toList();
  }
}
