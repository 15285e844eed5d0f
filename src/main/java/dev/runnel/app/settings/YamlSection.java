package dev.runnel.app.settings;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/// A part of the file. Exceptions name its place.
///
/// @param place `policy.rules[0]`; empty for the whole file
record YamlSection(Path file, String place, JsonNode tree) {
  YamlSection at(String key) {
    return new YamlSection(file, place.isEmpty() ? key : place + "." + key, tree.path(key));
  }

  /// Whether the file has no value here.
  boolean isAbsent() {
    return tree.isMissingNode() || tree.isNull();
  }

  void checkKeys(List<String> keys) {
    if (!tree.isObject()) {
      throw wrong("must hold " + String.join(", ", keys));
    }
    for (var entry : tree.properties()) {
      if (!keys.contains(entry.getKey())) {
        throw new SettingsException(
            "%s: there is no setting %s.%s"
                .formatted(
                    file, at(entry.getKey()).place(), Settings.suggestion(entry.getKey(), keys)));
      }
    }
  }

  Optional<String> text() {
    if (isAbsent()) {
      return Optional.empty();
    }
    if (tree.isContainerNode() || tree.asText().isBlank()) {
      throw wrong("must be one value");
    }
    return Optional.of(tree.asText());
  }

  Optional<String> text(String key) {
    return at(key).text();
  }

  List<String> strings() {
    if (isAbsent()) {
      return List.of();
    }
    if (!tree.isArray()) {
      throw wrong("must be a list, like [a, b]");
    }
    var all = new ArrayList<String>();
    for (var each : tree) {
      all.add(new YamlSection(file, place, each).text().orElseThrow(() -> wrong("has a gap")));
    }
    return all;
  }

  /// One value, or a list of values.
  List<String> oneOrMore() {
    return tree.isArray() ? strings() : text().stream().toList();
  }

  /// The elements of a list.
  ///
  /// @param demand the message if it is something else
  List<YamlSection> elements(String demand) {
    if (!isAbsent() && !tree.isArray()) {
      throw wrong(demand);
    }
    var all = new ArrayList<YamlSection>();
    for (var each : tree) {
      all.add(new YamlSection(file, "%s[%d]".formatted(place, all.size()), each));
    }
    return all;
  }

  /// The entries by their names, in order.
  ///
  /// @param demand the message if it is something else
  Map<String, YamlSection> entries(String demand) {
    if (!isAbsent() && !tree.isObject()) {
      throw wrong(demand);
    }
    var all = new LinkedHashMap<String, YamlSection>();
    tree.fieldNames().forEachRemaining(name -> all.put(name, at(name)));
    return all;
  }

  /// Adds the place to the message of an [IllegalArgumentException].
  <T> T read(Supplier<T> reader) {
    try {
      return reader.get();
    } catch (IllegalArgumentException e) {
      throw wrong(String.valueOf(e.getMessage()));
    }
  }

  SettingsException wrong(String why) {
    return wrong(why, "");
  }

  /// @param suggestion a sentence with a space before it, or empty
  SettingsException wrong(String why, String suggestion) {
    return new SettingsException("%s: %s %s.%s".formatted(file, place, why, suggestion));
  }
}
