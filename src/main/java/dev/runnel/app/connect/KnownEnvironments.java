package dev.runnel.app.connect;

import dev.runnel.app.settings.Connections;
import dev.runnel.app.settings.RunnelSettings;
import dev.runnel.app.settings.Settings;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.core.scope.Defaults;
import dev.runnel.core.scope.EnvironmentIds;
import dev.runnel.service.workspace.Environment;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The environments of the settings, and the decisions about repositories that `./runnel connect`
/// stored before.
///
/// @param settings the settings in force
/// @param stored the content of the connections file
record KnownEnvironments(Settings settings, Connections stored) {
  private static final String ENVIRONMENTS = "agents.environments.";
  private static final Pattern HOST =
      Pattern.compile("^(?:[a-z]+://)?(?:[^/@]*@)?(?<host>[^/:@]+)[/:].*");

  /// Which environment the operator's own settings have for the repository.
  ///
  /// @param repository `acme/shop`
  /// @return lines for people; empty if the guide may store an environment
  List<String> configured(String repository) {
    var service = settings.get(RunnelSettings.AGENT_API_URL);
    if (service.isPresent()) {
      return List.of(
          "Agents work in the environments of the service at %s.".formatted(service.get()),
          "Define one with %s there.".formatted(repository));
    }
    if (isInForce(repository)) {
      return List.of();
    }
    var chosen = ownDefault(repository);
    if (chosen.isPresent()) {
      var has = settings.environments().find(chosen.get()).filter(it -> contains(it, repository));
      return List.of(
          "Your settings choose the environment %s for issues of %s. Nothing is changed."
              .formatted(chosen.get(), repository),
          has.isPresent()
              ? "Agents work in its clone of the repository."
              : "It does not contain %s: add it to its repositories, if agents need it."
                  .formatted(repository));
    }
    return settings.environments().all().stream()
        .filter(each -> !isConnected(each.uid()) && contains(each, repository))
        .findFirst()
        .map(
            each ->
                List.of(
                    "Your settings have %s in the environment %s. Nothing is changed."
                        .formatted(repository, each.uid()),
                    "So that its issues use it, write into runnel.yaml:",
                    "  defaults: {\"github:%s\": {environment: %s}}"
                        .formatted(repository, each.uid())))
        .orElse(List.of());
  }

  /// The answers that were stored before, by the names of the questions; empty if there are none.
  Map<String, String> answers(String repository) {
    if (!stored.isDecided(repository)) {
      return Map.of();
    }
    return stored
        .cloneOf(repository)
        .map(it -> Map.of(GitHubGuide.CLONE, "yes", GitHubGuide.PUSH, it.push() ? "yes" : "no"))
        .orElse(Map.of(GitHubGuide.CLONE, "no"));
  }

  /// The environment of the repository, if the connections file defines it.
  Optional<String> environment(String repository) {
    return stored.environment(repository);
  }

  /// The content of the connections file with a decision about the repository.
  Connections with(Step.SaveClone decision) {
    var repository = decision.repository();
    if (!decision.clones()) {
      return stored.without(repository);
    }
    return stored.with(
        repository,
        environment(repository).orElseGet(() -> freeName(repository)),
        new Connections.Clone(settings.gitHubAddress(repository), decision.push()));
  }

  private String freeName(String repository) {
    var parts = repository.split("/", 2);
    var name = name(parts[1]);
    var longName = name(parts[0] + "-" + parts[1]);
    return Stream.concat(
            Stream.of(name, longName),
            Stream.iterate(2, it -> it + 1).map(number -> longName + "-" + number))
        .filter(this::isFree)
        .findFirst()
        .orElseThrow();
  }

  /// The text as a name of an environment, which begins with a letter or a digit.
  private static String name(String text) {
    var name = text.replaceFirst("^[^A-Za-z0-9]+", "");
    return name.isEmpty() ? "repository" : name;
  }

  private boolean isFree(String name) {
    return !stored.environments().containsKey(name)
        && settings.environments().all().stream()
            .noneMatch(each -> each.uid().equals(name) || each.name().equals(name));
  }

  /// Whether the stored environment is the one that issues of the repository use.
  private boolean isInForce(String repository) {
    return environment(repository).filter(this::isConnected).isPresent()
        && settings.connected().stream()
            .anyMatch(("defaults.github:" + repository)::equalsIgnoreCase);
  }

  private boolean isConnected(String environment) {
    return settings.connected().contains(ENVIRONMENTS + environment);
  }

  /// The environment that settings other than the stored ones choose.
  private Optional<String> ownDefault(String repository) {
    var configured = new HashMap<>(settings.defaults().configured());
    configured.replaceAll(
        (place, values) -> {
          if (!settings.connected().contains("defaults." + place)) {
            return values;
          }
          var own = new HashMap<>(values);
          own.remove(Defaults.ENVIRONMENT);
          return own;
        });
    return new Defaults(
            configured,
            settings.defaults().admins(),
            settings.defaults().routes(),
            EnvironmentIds.UNKNOWN)
        .resolve(
            new Request("", RunOptions.NONE),
            Conversation.parse("github:" + repository + "#1"),
            new Actor("runnel", "Runnel"),
            List.of(),
            settings.profiles())
        .request()
        .options()
        .environment()
        .or(() -> settings.environments().defaultEnvironment().map(Environment::uid));
  }

  private boolean contains(Environment environment, String repository) {
    var host = host(settings.gitHubAddress(repository));
    return environment.repositories().stream()
        .anyMatch(
            each ->
                each.fullName().equalsIgnoreCase(repository)
                    && host(each.url()).filter(it -> !host.equals(Optional.of(it))).isEmpty());
  }

  /// The host of an address for git; empty for a folder.
  private static Optional<String> host(String address) {
    return Optional.of(HOST.matcher(address))
        .filter(it -> !address.startsWith("/") && it.matches())
        .map(it -> it.group("host").toLowerCase(Locale.ROOT));
  }
}
