package dev.runnel.app.settings;

import dev.runnel.core.scope.Defaults;
import dev.runnel.core.scope.Profiles;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// Reads `defaults` of the file: default options of runs, by place.
final class RunDefaultsSettings {
  static final String PLACE = "defaults";
  static final List<String> KEYS =
      List.of("profile", "environment", "model", "skill", "factory", "base_prompt");
  static final Pattern WHERE = Pattern.compile("[a-z][a-z0-9-]*(?::[^\\s]*[^\\s/])?");

  private RunDefaultsSettings() {}

  static Map<String, Map<String, String>> read(YamlSection section, Profiles profiles) {
    var places = new HashMap<String, Map<String, String>>();
    section
        .entries("must hold places, like everywhere, slack or github:acme/shop")
        .forEach(
            (name, place) -> {
              if (!WHERE.matcher(name).matches()) {
                throw place.wrong(
                    "is no place; places read like everywhere, slack or \"github:acme/shop\"");
              }
              place.checkKeys(KEYS);
              places.put(name, values(place, KEYS, profiles));
            });
    return places;
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

  /// The options of runs in a section that is about a place or a route.
  static Map<String, String> values(YamlSection section, List<String> keys, Profiles profiles) {
    var values = new HashMap<String, String>();
    for (var key : keys) {
      section.text(key).ifPresent(value -> values.put(Defaults.key(key).orElseThrow(), value));
    }
    var profile = values.get(Defaults.PROFILE);
    var known = profiles.byName().keySet();
    if (profile != null && !known.contains(profile)) {
      throw section
          .at("profile")
          .wrong(
              "is %s, and there is no profile of that name".formatted(profile),
              Settings.suggestion(profile, known.stream().sorted().toList()));
    }
    return values;
  }
}
