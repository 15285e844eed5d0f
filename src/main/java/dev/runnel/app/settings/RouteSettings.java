package dev.runnel.app.settings;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.scope.Defaults;
import dev.runnel.core.scope.Profiles;
import dev.runnel.core.scope.Route;
import dev.runnel.core.scope.Routes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;

/// Reads `routes` of the file: rules that choose options of runs by what they are about.
final class RouteSettings {
  static final String PLACE = "routes";
  private static final String WORDS = "words";
  private static final String LABELS = "labels";
  private static final String WHERE = "where";
  private static final List<String> CONDITIONS = List.of(WORDS, LABELS, WHERE);

  /// The base prompt belongs to a place, not to a request.
  private static final List<String> OPTIONS =
      DefaultSettings.KEYS.stream().filter(key -> !key.equals("base_prompt")).toList();

  private static final List<String> KEYS = all();

  private final YamlSection part;
  private final Profiles profiles;

  private RouteSettings(Path file, Profiles profiles) {
    this.part = new YamlSection(file);
    this.profiles = profiles;
  }

  static Routes read(JsonNode tree, Path file, Profiles profiles) {
    return new RouteSettings(file, profiles).routes(tree);
  }

  private static List<String> all() {
    var all = new ArrayList<>(CONDITIONS);
    all.addAll(OPTIONS);
    return List.copyOf(all);
  }

  private Routes routes(JsonNode tree) {
    if (tree.isMissingNode() || tree.isNull()) {
      return Routes.NONE;
    }
    if (!tree.isArray()) {
      throw part.wrong(PLACE, "must be a list of rules, like - {words: [checkout], profile: web}");
    }
    var rules = new ArrayList<Route>();
    for (var rule : tree) {
      rules.add(rule("%s[%d]".formatted(PLACE, rules.size()), rule));
    }
    return new Routes(rules);
  }

  private Route rule(String place, JsonNode tree) {
    part.checkKeys(place, tree, KEYS);
    var options = new HashMap<String, String>();
    for (var key : OPTIONS) {
      part.text(place + "." + key, tree.path(key))
          .ifPresent(value -> options.put(Defaults.key(key).orElseThrow(), value));
    }
    DefaultSettings.checkProfile(
        part, place, Optional.ofNullable(options.get(Defaults.PROFILE)), profiles);
    if (options.isEmpty()) {
      throw part.wrong(place, "chooses nothing; name one of " + String.join(", ", OPTIONS));
    }
    var places = list(place, tree, WHERE);
    for (var each : places) {
      if (!DefaultSettings.WHERE.matcher(each).matches()) {
        throw part.wrong(
            place + "." + WHERE, "is no place; places read like slack or \"github:acme/shop\"");
      }
    }
    var rule = new Route(list(place, tree, WORDS), list(place, tree, LABELS), places, options);
    if (rule.words().isEmpty() && rule.labels().isEmpty() && rule.places().isEmpty()) {
      throw part.wrong(place, "has no condition; name one of " + String.join(", ", CONDITIONS));
    }
    return rule;
  }

  /// One value or a list.
  private List<String> list(String place, JsonNode tree, String key) {
    var value = tree.path(key);
    var where = place + "." + key;
    return value.isArray()
        ? part.strings(where, value)
        : part.text(where, value).map(List::of).orElse(List.of());
  }
}
