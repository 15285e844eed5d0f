package dev.runnel.app.settings;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.service.egress.EgressSetting;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.service.workspace.PermissionRules;
import dev.runnel.service.workspace.Repository;
import java.nio.file.Path;
import java.util.ArrayList;
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
          "name",
          "description",
          "repositories",
          "setup_commands",
          "docker_image",
          "variables",
          "egress",
          "ask",
          "kubernetes");
  private static final List<String> REPOSITORY_KEYS =
      List.of("url", "ref", "folder", "token", "push");

  private final YamlSection part;
  private final Map<String, String> variables;
  private final Map<String, String> lent = new HashMap<>();

  private EnvironmentSettings(Path file, Map<String, String> variables) {
    this.part = new YamlSection(file);
    this.variables = variables;
  }

  /// @param variables the operator's environment
  static Environments read(JsonNode tree, Path file, Map<String, String> variables) {
    return new EnvironmentSettings(file, variables).environments(tree);
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
    return new Environments(environments.all(), chosen, environments.lent());
  }

  private Environments environments(JsonNode tree) {
    if (tree.isMissingNode() || tree.isNull()) {
      return Environments.NONE;
    }
    if (!tree.isObject()) {
      throw part.wrong(PLACE, "must hold environments by their names");
    }
    var all = new ArrayList<Environment>();
    for (var entry : tree.properties()) {
      all.add(environment(entry.getKey(), entry.getValue()));
    }
    return new Environments(all, Optional.empty(), lent);
  }

  private Environment environment(String uid, JsonNode tree) {
    var place = PLACE + "." + uid;
    part.checkKeys(place, tree, KEYS);
    var named = part.strings(place + ".variables", tree.path("variables"));
    named.forEach(name -> lend(place + ".variables", name));
    var repositories = new ArrayList<Repository>();
    var listed = tree.path("repositories");
    if (!listed.isMissingNode() && !listed.isArray()) {
      throw part.wrong(place + ".repositories", "must be a list, like [acme/shop]");
    }
    for (int i = 0; i < listed.size(); i++) {
      repositories.add(repository("%s.repositories[%d]".formatted(place, i), listed.get(i)));
    }
    try {
      return new Environment(
          uid,
          part.text(place + ".name", tree.path("name")).orElse(uid),
          part.text(place + ".description", tree.path("description")),
          repositories,
          part.strings(place + ".setup_commands", tree.path("setup_commands")),
          part.text(place + ".docker_image", tree.path("docker_image")),
          named,
          egress(place + ".egress", tree.path("egress")),
          KubernetesOptions.ofEnvironment(part, place + ".kubernetes", tree.path("kubernetes")),
          ask(place + ".ask", tree.path("ask")));
    } catch (IllegalArgumentException e) {
      throw part.wrong(place, String.valueOf(e.getMessage()));
    }
  }

  /// An empty list permits nothing.
  private Optional<EgressSetting> egress(String place, JsonNode tree) {
    if (tree.isMissingNode() || tree.isNull()) {
      return Optional.empty();
    }
    var entries = tree.isTextual() ? List.of(tree.asText().split(",")) : part.strings(place, tree);
    try {
      return Optional.of(
          entries.isEmpty() ? EgressSetting.NONE : new EgressSetting(List.copyOf(entries)));
    } catch (IllegalArgumentException e) {
      throw part.wrong(place, String.valueOf(e.getMessage()));
    }
  }

  /// An empty list asks for nothing, and so does `off`, which YAML reads as false.
  private Optional<PermissionRules> ask(String place, JsonNode tree) {
    if (tree.isMissingNode() || tree.isNull()) {
      return Optional.empty();
    }
    if (tree.isBoolean() && !tree.booleanValue()) {
      return Optional.of(PermissionRules.NONE);
    }
    try {
      return Optional.of(
          tree.isTextual()
              ? PermissionRules.of(tree.asText())
              : new PermissionRules(part.strings(place, tree)));
    } catch (IllegalArgumentException e) {
      throw part.wrong(place, String.valueOf(e.getMessage()));
    }
  }

  private Repository repository(String place, JsonNode tree) {
    if (!tree.isTextual()) {
      part.checkKeys(place, tree, REPOSITORY_KEYS);
    }
    var url =
        part.text(place + ".url", tree.isTextual() ? tree : tree.path("url"))
            .orElseThrow(() -> part.wrong(place, "has no url"));
    var token = part.text(place + ".token", tree.path("token"));
    token.ifPresent(name -> lend(place + ".token", name));
    try {
      return Repository.of(
          absolute(url),
          part.text(place + ".ref", tree.path("ref")),
          part.text(place + ".folder", tree.path("folder")),
          token,
          push(place + ".push", tree.path("push")));
    } catch (IllegalArgumentException e) {
      throw part.wrong(place, String.valueOf(e.getMessage()));
    }
  }

  private boolean push(String place, JsonNode value) {
    if (!value.isMissingNode() && !value.isNull() && !value.isBoolean()) {
      throw part.wrong(place, "must be true or false");
    }
    return value.asBoolean(false);
  }

  /// Relative folders are resolved against the working directory, as all paths in the settings.
  private static String absolute(String url) {
    return url.startsWith("./") || url.startsWith("../")
        ? Path.of(url).toAbsolutePath().normalize().toString()
        : url;
  }

  private void lend(String place, String name) {
    var value = variables.get(name);
    if (value == null || value.isBlank()) {
      throw part.wrong(
          place, "names the variable %s, which is not set. Set it, or take it out".formatted(name));
    }
    lent.put(name, value);
  }
}
