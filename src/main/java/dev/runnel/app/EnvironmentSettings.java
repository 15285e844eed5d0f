package dev.runnel.app;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.service.workspace.Repository;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// `agents.environments` of the file. Variables are named there, their values come from the
/// operator's environment; one that is not set stops the start.
final class EnvironmentSettings {
  static final String PLACE = "agents.environments";
  private static final List<String> KEYS =
      List.of("name", "description", "repositories", "setup_commands", "docker_image", "variables");
  private static final List<String> REPOSITORY_KEYS = List.of("url", "ref", "folder", "token");

  private final Path file;
  private final Map<String, String> variables;
  private final Map<String, String> lent = new HashMap<>();

  private EnvironmentSettings(Path file, Map<String, String> variables) {
    this.file = file;
    this.variables = variables;
  }

  /// @param variables the operator's environment
  static Environments read(JsonNode tree, Path file, Map<String, String> variables) {
    return new EnvironmentSettings(file, variables).environments(tree);
  }

  /// @param uid from the settings; blank for none
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
                  Setting.RUNNEL_AGENTS_ENVIRONMENT,
                  Setting.RUNNEL_AGENTS_ENVIRONMENT.path(),
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
      throw wrong(PLACE, "must hold environments by their names");
    }
    var all = new ArrayList<Environment>();
    for (var entry : tree.properties()) {
      all.add(environment(entry.getKey(), entry.getValue()));
    }
    return new Environments(all, Optional.empty(), lent);
  }

  private Environment environment(String uid, JsonNode tree) {
    var place = PLACE + "." + uid;
    checkKeys(place, tree, KEYS);
    var named = strings(place + ".variables", tree.path("variables"));
    named.forEach(name -> lend(place + ".variables", name));
    var repositories = new ArrayList<Repository>();
    var listed = tree.path("repositories");
    if (!listed.isMissingNode() && !listed.isArray()) {
      throw wrong(place + ".repositories", "must be a list, like [acme/shop]");
    }
    for (int i = 0; i < listed.size(); i++) {
      repositories.add(repository("%s.repositories[%d]".formatted(place, i), listed.get(i)));
    }
    try {
      return new Environment(
          uid,
          text(place + ".name", tree.path("name")).orElse(uid),
          text(place + ".description", tree.path("description")),
          repositories,
          strings(place + ".setup_commands", tree.path("setup_commands")),
          text(place + ".docker_image", tree.path("docker_image")),
          named);
    } catch (IllegalArgumentException e) {
      throw wrong(place, String.valueOf(e.getMessage()));
    }
  }

  private Repository repository(String place, JsonNode tree) {
    if (!tree.isTextual()) {
      checkKeys(place, tree, REPOSITORY_KEYS);
    }
    var url =
        text(place + ".url", tree.isTextual() ? tree : tree.path("url"))
            .orElseThrow(() -> wrong(place, "has no url"));
    var token = text(place + ".token", tree.path("token"));
    token.ifPresent(name -> lend(place + ".token", name));
    try {
      return Repository.of(
          absolute(url),
          text(place + ".ref", tree.path("ref")),
          text(place + ".folder", tree.path("folder")),
          token);
    } catch (IllegalArgumentException e) {
      throw wrong(place, String.valueOf(e.getMessage()));
    }
  }

  /// A folder is meant from where Runnel is started, as all paths of the settings are.
  private static String absolute(String url) {
    return url.startsWith("./") || url.startsWith("../")
        ? Path.of(url).toAbsolutePath().normalize().toString()
        : url;
  }

  private void lend(String place, String name) {
    var value = variables.get(name);
    if (value == null || value.isBlank()) {
      throw wrong(
          place, "names the variable %s, which is not set. Set it, or take it out".formatted(name));
    }
    lent.put(name, value);
  }

  private void checkKeys(String place, JsonNode tree, List<String> keys) {
    if (!tree.isObject()) {
      throw wrong(place, "must hold " + String.join(", ", keys));
    }
    for (var entry : tree.properties()) {
      if (!keys.contains(entry.getKey())) {
        throw new SettingsException(
            "%s: there is no setting %s.%s.%s"
                .formatted(file, place, entry.getKey(), Settings.suggestion(entry.getKey(), keys)));
      }
    }
  }

  private Optional<String> text(String place, JsonNode value) {
    if (value.isMissingNode() || value.isNull()) {
      return Optional.empty();
    }
    if (value.isContainerNode() || value.asText().isBlank()) {
      throw wrong(place, "must be one value");
    }
    return Optional.of(value.asText());
  }

  private List<String> strings(String place, JsonNode list) {
    if (list.isMissingNode() || list.isNull()) {
      return List.of();
    }
    if (!list.isArray()) {
      throw wrong(place, "must be a list, like [a, b]");
    }
    var all = new ArrayList<String>();
    list.forEach(each -> all.add(text(place, each).orElseThrow(() -> wrong(place, "has a gap"))));
    return all;
  }

  private SettingsException wrong(String place, String why) {
    return new SettingsException("%s: %s %s.".formatted(file, place, why));
  }
}
