package dev.runnel.app.settings;

import dev.runnel.surface.Setting;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// What `./runnel connect` stores in a [ConnectionsFile].
///
/// @param settings the values of settings
/// @param environments the environments by their names; each has one repository
/// @param defaults the default environment by repository (`acme/shop`); empty if the operator wants
///   none
public record Connections(
    Map<Setting, String> settings,
    Map<String, Clone> environments,
    Map<String, Optional<String>> defaults) {
  public static final Connections NONE = new Connections(Map.of(), Map.of(), Map.of());

  /// A repository that agents work in.
  ///
  /// @param url its address for git
  /// @param push whether agents may push to it
  public record Clone(String url, boolean push) {}

  public Connections {
    settings = Map.copyOf(settings);
    environments = Map.copyOf(environments);
    defaults = Map.copyOf(defaults);
  }

  /// The same environments, with other values of settings.
  public Connections withSettings(Map<Setting, String> others) {
    return new Connections(others, environments, defaults);
  }

  /// Whether the operator decided about the repository, for or against an environment.
  public boolean isDecided(String repository) {
    return spelling(repository).isPresent();
  }

  /// The name of the repository's environment.
  public Optional<String> environment(String repository) {
    return spelling(repository)
        .flatMap(it -> Objects.requireNonNull(defaults.get(it)))
        .filter(environments::containsKey);
  }

  /// The repository's clone.
  public Optional<Clone> cloneOf(String repository) {
    return environment(repository).map(environments::get);
  }

  /// With an environment for the repository, which replaces an earlier one.
  public Connections with(String repository, String environment, Clone clone) {
    var rest = without(repository);
    var newEnvironments = new HashMap<>(rest.environments);
    newEnvironments.put(environment, clone);
    var newDefaults = new HashMap<>(rest.defaults);
    newDefaults.put(repository, Optional.of(environment));
    return new Connections(settings, newEnvironments, newDefaults);
  }

  /// With the decision against an environment for the repository.
  public Connections without(String repository) {
    var newEnvironments = new HashMap<>(environments);
    environment(repository).ifPresent(newEnvironments::remove);
    var newDefaults = new HashMap<>(defaults);
    spelling(repository).ifPresent(newDefaults::remove);
    newDefaults.put(repository, Optional.empty());
    return new Connections(settings, newEnvironments, newDefaults);
  }

  /// The repository as it is written here: GitHub does not distinguish upper and lower case.
  private Optional<String> spelling(String repository) {
    return defaults.keySet().stream().filter(repository::equalsIgnoreCase).findFirst();
  }

  /// Omits the values of settings, because some are secret.
  @Override
  public String toString() {
    return "Connections[%s, %s, %s]".formatted(settings.keySet(), environments, defaults);
  }
}
