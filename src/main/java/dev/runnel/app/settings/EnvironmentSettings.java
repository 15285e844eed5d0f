package dev.runnel.app.settings;

import dev.runnel.core.scope.EnvironmentIds;
import dev.runnel.service.egress.EgressSetting;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.service.workspace.PermissionRules;
import dev.runnel.service.workspace.Repository;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Reads `agents.environments` of the file. Variables are named there; their values come from the
/// operator's environment. A variable that is not set stops the start.
final class EnvironmentSettings {
  static final String PLACE = "agents.environments";
  private static final List<String> KEYS =
      List.of(
          """
          name description repositories setup_commands docker_image variables egress ask kubernetes
          lfs
          """
              .split("\\s+"));
  private static final List<String> REPOSITORY_KEYS =
      List.of("url", "ref", "folder", "token", "push");

  private final Map<String, String> variables;
  private final Map<String, String> lent = new HashMap<>();

  private EnvironmentSettings(Map<String, String> variables) {
    this.variables = variables;
  }

  /// @param variables the operator's environment
  static Environments read(YamlSection section, Map<String, String> variables) {
    var reader = new EnvironmentSettings(variables);
    var all =
        section.entries("must hold environments by their names").entrySet().stream()
            .map(entry -> reader.environment(entry.getKey(), entry.getValue()))
            .toList();
    return new Environments(all, Optional.empty(), reader.lent);
  }

  /// The ids by name. If two environments have the same name, it is the first one's, and no name
  /// hides the id of another environment.
  static EnvironmentIds ids(Environments environments) {
    var byName = new HashMap<String, String>();
    environments.all().forEach(each -> byName.putIfAbsent(each.name(), each.uid()));
    environments.all().forEach(each -> byName.put(each.uid(), each.uid()));
    return new EnvironmentIds(byName, environments.defaultEnvironment().map(Environment::uid));
  }

  /// @param uid the setting's value; empty for none
  static Environments withDefault(Environments environments, Optional<String> uid) {
    if (uid.isEmpty()) {
      return environments;
    }
    var names = environments.all().stream().map(Environment::uid).toList();
    var chosen =
        environments.all().stream().filter(each -> each.uid().equals(uid.get())).findFirst();
    if (chosen.isEmpty()) {
      throw new SettingsException(
          "%s (%s) is %s, and %s has no environment of that name.%s"
              .formatted(
                  RunnelSettings.AGENTS_ENVIRONMENT,
                  RunnelSettings.AGENTS_ENVIRONMENT.path(),
                  uid.get(),
                  PLACE,
                  Settings.suggestion(uid.get(), names)));
    }
    return new Environments(environments.all(), chosen, environments.variableValues());
  }

  private Environment environment(String uid, YamlSection section) {
    section.checkKeys(KEYS);
    var named = section.at("variables").strings();
    named.forEach(name -> passVariable(section.at("variables"), name));
    var listed = section.at("repositories");
    var demand = "must be a list, like [acme/shop]";
    if (listed.tree().isNull()) {
      throw listed.wrong(demand);
    }
    var repositories = listed.elements(demand).stream().map(this::repository).toList();
    return section.read(
        () ->
            new Environment(
                uid,
                section.text("name").orElse(uid),
                section.text("description"),
                repositories,
                section.at("setup_commands").strings(),
                section.text("docker_image"),
                named,
                egress(section.at("egress")),
                KubernetesOptions.ofEnvironment(section.at("kubernetes")),
                ask(section.at("ask")),
                flag(section.at("lfs"))));
  }

  /// An empty list permits nothing.
  private static Optional<EgressSetting> egress(YamlSection section) {
    if (section.isAbsent()) {
      return Optional.empty();
    }
    var entries =
        section.tree().isTextual()
            ? List.of(section.tree().asText().split(","))
            : section.strings();
    return section.read(
        () ->
            Optional.of(
                entries.isEmpty() ? EgressSetting.NONE : new EgressSetting(List.copyOf(entries))));
  }

  /// An empty list asks for nothing, and so does `off`, which YAML reads as false.
  private static Optional<PermissionRules> ask(YamlSection section) {
    if (section.isAbsent()) {
      return Optional.empty();
    }
    var tree = section.tree();
    if (tree.isBoolean() && !tree.booleanValue()) {
      return Optional.of(PermissionRules.NONE);
    }
    return section.read(
        () ->
            Optional.of(
                tree.isTextual()
                    ? PermissionRules.of(tree.asText())
                    : new PermissionRules(section.strings())));
  }

  private Repository repository(YamlSection section) {
    var isUrl = section.tree().isTextual();
    if (!isUrl) {
      section.checkKeys(REPOSITORY_KEYS);
    }
    var url =
        (isUrl ? section : section.at("url")).text().orElseThrow(() -> section.wrong("has no url"));
    var token = section.text("token");
    token.ifPresent(name -> passVariable(section.at("token"), name));
    return section.read(
        () ->
            Repository.of(
                absolute(url),
                section.text("ref"),
                section.text("folder"),
                token,
                push(section.at("push"))));
  }

  /// Whether a repository's `push` is set.
  static boolean push(YamlSection section) {
    return flag(section);
  }

  private static boolean flag(YamlSection section) {
    if (!section.isAbsent() && !section.tree().isBoolean()) {
      throw section.wrong("must be true or false");
    }
    return section.tree().asBoolean(false);
  }

  /// Relative folders are resolved against the working directory, as all paths in the settings.
  private static String absolute(String url) {
    return url.startsWith("./") || url.startsWith("../")
        ? Path.of(url).toAbsolutePath().normalize().toString()
        : url;
  }

  private void passVariable(YamlSection section, String name) {
    var value = variables.get(name);
    if (value == null || value.isBlank()) {
      throw section.wrong(
          "names the variable %s, which is not set. Set it, or take it out".formatted(name));
    }
    lent.put(name, value);
  }
}
