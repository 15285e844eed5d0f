package dev.runnel.app.settings;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.runnel.database.OwnerOnly;
import dev.runnel.surface.Setting;
import dev.runnel.surface.github.GitHubPlatform;
import dev.runnel.surface.slack.SlackPlatform;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/// The settings that `./runnel connect` found out, in a file of the data folder that only its owner
/// can read. It has the form of `runnel.yaml`, but references to variables are not resolved, and
/// only the settings of the platforms that the command connects are read, and the repositories that
/// agents work in: who can write the data folder must not thereby change, for example, the
/// isolation or the setup commands of agents.
///
/// @param path the file, which may not exist
public record ConnectionsFile(Path path) {
  public static final String IN_FORCE = "connections.yaml";

  /// What was entered, while not all of a platform's settings are known: half of them would stop
  /// the next start.
  public static final String UNFINISHED = "connections.unfinished.yaml";

  /// The variable whose value is the login for the stored repositories.
  static final String TOKEN = "GITHUB_TOKEN";

  private static final String PLATFORM = "github:";
  private static final YAMLMapper YAML = new YAMLMapper();

  private static final List<Setting> PERMITTED =
      Stream.of(
              SlackPlatform.DEFINITION.settings().stream(),
              GitHubPlatform.DEFINITION.settings().stream(),
              Stream.of(RunnelSettings.PUBLIC_URL))
          .flatMap(it -> it)
          .toList();

  /// @throws SettingsException if the file cannot be read, or has other settings
  public Connections read() {
    if (!Files.exists(path)) {
      return Connections.NONE;
    }
    try {
      var tree = YAML.readTree(Files.readString(path));
      var values = new LinkedHashMap<Setting, String>();
      collect("", tree, values);
      var all = new YamlSection(path, "", tree);
      return new Connections(
          values,
          clones(all.at("agents").at("environments")),
          defaults(all.at(RunDefaultsSettings.PLACE)));
    } catch (JsonProcessingException malformed) {
      throw new SettingsException(
          "%s is not YAML any more. Delete it, and run ./runnel connect again.".formatted(path));
    } catch (IOException e) {
      throw new SettingsException("%s cannot be read: %s".formatted(path, e.getMessage()));
    }
  }

  private static Map<String, Connections.Clone> clones(YamlSection section) {
    var clones = new LinkedHashMap<String, Connections.Clone>();
    section
        .entries("must hold environments by their names")
        .forEach((name, environment) -> clones.put(name, clone(environment)));
    return clones;
  }

  private static Connections.Clone clone(YamlSection environment) {
    environment.checkKeys(List.of("repositories"));
    var demand = "must be a list of one repository";
    var repositories = environment.at("repositories").elements(demand);
    if (repositories.size() != 1) {
      throw environment.at("repositories").wrong(demand);
    }
    var repository = repositories.getFirst();
    repository.checkKeys(List.of("url", "token", "push"));
    if (!repository.text("token").equals(Optional.of(TOKEN))) {
      throw repository.at("token").wrong("must be " + TOKEN);
    }
    return new Connections.Clone(
        repository.text("url").orElseThrow(() -> repository.wrong("has no url")),
        EnvironmentSettings.push(repository.at("push")));
  }

  private static Map<String, Optional<String>> defaults(YamlSection section) {
    var defaults = new LinkedHashMap<String, Optional<String>>();
    section
        .entries("must hold repositories, like github:acme/shop")
        .forEach(
            (name, place) -> {
              if (!name.startsWith(PLATFORM)) {
                throw place.wrong("is no repository, like github:acme/shop");
              }
              place.checkKeys(List.of("environment"));
              defaults.put(name.substring(PLATFORM.length()), place.text("environment"));
            });
    return defaults;
  }

  private void collect(String prefix, JsonNode tree, Map<Setting, String> values) {
    for (var entry : tree.properties()) {
      var key = prefix + entry.getKey();
      if (key.equals(EnvironmentSettings.PLACE) || key.equals(RunDefaultsSettings.PLACE)) {
        continue;
      }
      if (entry.getValue().isObject()) {
        collect(key + ".", entry.getValue(), values);
        continue;
      }
      var setting =
          PERMITTED.stream()
              .filter(each -> each.path().equals(key))
              .findFirst()
              .orElseThrow(
                  () ->
                      new SettingsException(
                          "%s: %s is not a setting of ./runnel connect. Move it to runnel.yaml."
                              .formatted(path, key)));
      values.put(setting, entry.getValue().asText());
    }
  }

  /// Replaces the file. Its new content is complete, or the old one stays.
  public void write(Connections connections) throws IOException {
    OwnerOnly.createFolders(Objects.requireNonNull(path.toAbsolutePath().getParent()));
    var tree = YAML.createObjectNode();
    connections.settings().entrySet().stream()
        .sorted(Comparator.comparing(it -> it.getKey().path()))
        .forEach(it -> put(tree, it.getKey().path(), it.getValue()));
    new TreeMap<>(connections.environments()).forEach((name, clone) -> put(tree, name, clone));
    new TreeMap<>(connections.defaults())
        .forEach(
            (repository, environment) -> {
              var place =
                  tree.withObjectProperty(RunDefaultsSettings.PLACE)
                      .putObject(PLATFORM + repository);
              environment.ifPresent(it -> place.put("environment", it));
            });
    var next = path.resolveSibling(path.getFileName() + ".new");
    OwnerOnly.createFile(next);
    OwnerOnly.close(next);
    Files.writeString(
        next,
        "# Written by ./runnel connect. The environment and runnel.yaml take precedence.\n"
            + YAML.writeValueAsString(tree),
        StandardCharsets.UTF_8);
    Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private static void put(ObjectNode tree, String settingPath, String value) {
    var node = tree;
    var keys = settingPath.split("\\.", -1);
    for (int i = 0; i < keys.length - 1; i++) {
      node = node.withObjectProperty(keys[i]);
    }
    node.put(keys[keys.length - 1], value);
  }

  private static void put(ObjectNode tree, String name, Connections.Clone clone) {
    tree.withObjectProperty("agents")
        .withObjectProperty("environments")
        .putObject(name)
        .putArray("repositories")
        .addObject()
        .put("url", clone.url())
        .put("token", TOKEN)
        .put("push", clone.push());
  }

  /// Deletes the file, if there is one.
  public void delete() throws IOException {
    Files.deleteIfExists(path);
  }
}
