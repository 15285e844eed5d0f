package dev.runnel.app.settings;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Reads structured sections of the file. Exceptions name the place of the problem.
record YamlSection(Path file) {
  void checkKeys(String place, JsonNode tree, List<String> keys) {
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

  Optional<String> text(String place, JsonNode value) {
    if (value.isMissingNode() || value.isNull()) {
      return Optional.empty();
    }
    if (value.isContainerNode() || value.asText().isBlank()) {
      throw wrong(place, "must be one value");
    }
    return Optional.of(value.asText());
  }

  List<String> strings(String place, JsonNode list) {
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

  SettingsException wrong(String place, String why) {
    return new SettingsException("%s: %s %s.".formatted(file, place, why));
  }
}
