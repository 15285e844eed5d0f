package dev.runnel.app.settings;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.scope.Defaults;
import dev.runnel.core.scope.Profiles;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// Reads `defaults` of the file: default options of runs, by place.
final class DefaultSettings {
  static final String PLACE = "defaults";
  static final List<String> KEYS =
      List.of("profile", "environment", "model", "skill", "factory", "base_prompt");
  static final Pattern WHERE = Pattern.compile("[a-z][a-z0-9-]*(?::[^\\s]*[^\\s/])?");

  private final YamlSection part;
  private final Profiles profiles;

  private DefaultSettings(Path file, Profiles profiles) {
    this.part = new YamlSection(file);
    this.profiles = profiles;
  }

  static Map<String, Map<String, String>> read(JsonNode tree, Path file, Profiles profiles) {
    return new DefaultSettings(file, profiles).places(tree);
  }

  /// @param listed the value of `admins`, separated by commas
  static Set<String> admins(Optional<String> listed) {
    var admins = new HashSet<String>();
    for (var admin : listed.orElse("").split(",", -1)) {
      if (!admin.isBlank() && admin.strip().indexOf(':') <= 0) {
        throw new SettingsException(
            "%s (%s): %s needs the platform before the id, like slack:U012345 or github:octocat."
                .formatted(RunnelSettings.ADMINS, RunnelSettings.ADMINS.path(), admin.strip()));
      }
      if (!admin.isBlank()) {
        admins.add(admin.strip());
      }
    }
    return admins;
  }

  private Map<String, Map<String, String>> places(JsonNode tree) {
    if (tree.isMissingNode() || tree.isNull()) {
      return Map.of();
    }
    if (!tree.isObject()) {
      throw part.wrong(PLACE, "must hold places, like everywhere, slack or github:acme/shop");
    }
    var places = new HashMap<String, Map<String, String>>();
    for (var entry : tree.properties()) {
      var where = PLACE + "." + entry.getKey();
      if (!WHERE.matcher(entry.getKey()).matches()) {
        throw part.wrong(
            where, "is no place; places read like everywhere, slack or \"github:acme/shop\"");
      }
      part.checkKeys(where, entry.getValue(), KEYS);
      places.put(entry.getKey(), values(where, entry.getValue()));
    }
    return places;
  }

  private Map<String, String> values(String where, JsonNode tree) {
    var values = new HashMap<String, String>();
    for (var key : KEYS) {
      part.text(where + "." + key, tree.path(key))
          .ifPresent(value -> values.put(Defaults.key(key).orElseThrow(), value));
    }
    checkProfile(part, where, Optional.ofNullable(values.get(Defaults.PROFILE)), profiles);
    return values;
  }

  static void checkProfile(
      YamlSection part, String where, Optional<String> profile, Profiles profiles) {
    if (profile.isPresent() && !profiles.byName().containsKey(profile.get())) {
      throw part.wrong(
          where + ".profile",
          "is %s, and there is no profile of that name.%s"
              .formatted(
                  profile.get(),
                  Settings.suggestion(
                      profile.get(), List.copyOf(new TreeSet<>(profiles.byName().keySet()))))
              .replaceFirst("\\.$", ""));
    }
  }
}
