package dev.runnel.app.settings;

import dev.runnel.core.scope.Defaults;
import dev.runnel.core.scope.Profiles;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.service.workspace.Repository;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// Adds the environments that `./runnel connect github` stored to those of `runnel.yaml`. An
/// environment or a default of `runnel.yaml` takes precedence over one of the same name or place.
final class ConnectedRepositories {
  private static final Pattern FULL_NAME = Pattern.compile("^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+");

  private static final Pattern API =
      Pattern.compile("(?<scheme>https?://)(?<host>[^/]+)(?<path>/api/v3)?");

  private final Path file;
  private final Connections connections;
  private final String host;
  private final Optional<String> token;
  private final Set<String> inForce = new HashSet<>();
  private final Map<String, String> valuesByPath = new HashMap<>();
  private final List<String> notices = new ArrayList<>();

  /// @param file the file of the connections
  /// @param apiUrl the address of GitHub's API
  /// @param token the login of the repositories
  ConnectedRepositories(
      Path file, Connections connections, Optional<String> apiUrl, Optional<String> token) {
    this.file = file;
    this.connections = connections;
    this.host = host(apiUrl);
    this.token = token;
  }

  /// The address of the repository for git, on the GitHub that has the API.
  ///
  /// @param apiUrl the address of the API; empty for github.com's
  /// @param repository `acme/shop`
  static String address(Optional<String> apiUrl, String repository) {
    return "%s/%s.git".formatted(host(apiUrl), repository);
  }

  /// Enterprise Server serves its API at `/api/v3` of its own address; otherwise the API has a host
  /// of its own, such as `api.github.com`.
  private static String host(Optional<String> apiUrl) {
    var api = API.matcher(apiUrl.orElse("https://api.github.com").strip());
    if (!api.lookingAt()) {
      return apiUrl.orElse("");
    }
    var host = api.group("host");
    return api.group("scheme")
        + (api.group("path") == null ? host.replaceFirst("^api\\.", "") : host);
  }

  /// @param own the environments of `runnel.yaml`
  Environments addTo(Environments own) {
    var all = new ArrayList<>(own.all());
    new TreeMap<>(connections.environments())
        .forEach(
            (name, clone) -> {
              if (own.all().stream().noneMatch(each -> each.uid().equals(name))) {
                all.add(Environment.named(name).withRepositories(List.of(repository(name, clone))));
                var path = EnvironmentSettings.PLACE + "." + name;
                inForce.add(path);
                valuesByPath.put(path + ".repositories[0].url", clone.url());
                valuesByPath.put(path + ".repositories[0].push", String.valueOf(clone.push()));
              }
            });
    var values = new HashMap<>(own.variableValues());
    if (!inForce.isEmpty()) {
      token.ifPresent(it -> values.put(ConnectionsFile.TOKEN, it));
    }
    return new Environments(all, own.defaultEnvironment(), values);
  }

  /// The address is checked, so that the token goes to the connected GitHub only.
  private Repository repository(String name, Connections.Clone clone) {
    var place = "%s: %s.%s".formatted(file, EnvironmentSettings.PLACE, name);
    var fullName = fullName(clone.url());
    if (fullName.isEmpty()) {
      throw new SettingsException(
          "%s has the repository %s, and must have one of %s. Remove the environment from the file."
              .formatted(place, clone.url(), host));
    }
    if (token.isEmpty()) {
      notices.add(
          "%s needs %s, which is not set: without it, Runnel clones only a public repository, and"
                  .formatted(place, ConnectionsFile.TOKEN)
              + " agents do not push.");
    }
    try {
      return Repository.of(
          clone.url(),
          Optional.empty(),
          Optional.of(folder(fullName.get())),
          token.map(_ -> ConnectionsFile.TOKEN),
          clone.push() && token.isPresent());
    } catch (IllegalArgumentException e) {
      throw new SettingsException("%s.repositories[0] %s.".formatted(place, e.getMessage()));
    }
  }

  private Optional<String> fullName(String url) {
    var end = ".git";
    if (!url.startsWith(host + "/") || !url.endsWith(end)) {
      return Optional.empty();
    }
    return Optional.of(url.substring(host.length() + 1, url.length() - end.length()))
        .filter(it -> FULL_NAME.matcher(it).matches());
  }

  /// The name of the repository, without the characters with which no folder here begins.
  private static String folder(String fullName) {
    var folder = fullName.substring(fullName.indexOf('/') + 1).replaceFirst("^[.-]+", "");
    return folder.isEmpty() ? "repository" : folder;
  }

  /// @param own the defaults of `runnel.yaml`, by place
  Map<String, Map<String, String>> addTo(Map<String, Map<String, String>> own, Profiles profiles) {
    var all = new HashMap<>(own);
    connections
        .defaults()
        .forEach(
            (repository, environment) -> {
              var place = "github:" + repository;
              var here = own.getOrDefault(place, Map.of());
              if (environment.isPresent() && !choosesEnvironment(here, profiles)) {
                var values = new HashMap<>(here);
                values.put(Defaults.ENVIRONMENT, environment.get());
                all.put(place, values);
                var path = RunDefaultsSettings.PLACE + "." + place;
                inForce.add(path);
                valuesByPath.put(path + ".environment", environment.get());
              }
            });
    return all;
  }

  private static boolean choosesEnvironment(Map<String, String> values, Profiles profiles) {
    var profile = Optional.ofNullable(values.get(Defaults.PROFILE)).map(profiles.byName()::get);
    return values.containsKey(Defaults.ENVIRONMENT)
        || profile.filter(it -> it.environment().isPresent()).isPresent();
  }

  /// The paths of the environments and places that the connections define, after they were added.
  Set<String> inForce() {
    return inForce;
  }

  /// Their values, by path.
  Map<String, String> valuesByPath() {
    return valuesByPath;
  }

  /// What is missing for them, one sentence each.
  List<String> notices() {
    return notices;
  }
}
