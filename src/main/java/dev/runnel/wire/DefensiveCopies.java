package dev.runnel.wire;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Defensive copies and checks for record components. Null becomes an empty list or map. Lists lose
/// their null elements, which stand for elements that could not be parsed.
final class DefensiveCopies {
  private DefensiveCopies() {}

  static <T> List<T> list(@Nullable List<T> list) {
    return list == null ? List.of() : list.stream().filter(Objects::nonNull).toList();
  }

  /// Preserves the order.
  static <V> Map<String, V> map(@Nullable Map<String, V> map) {
    if (map == null || map.isEmpty()) {
      return Map.of();
    }
    return Collections.unmodifiableMap(new LinkedHashMap<>(map));
  }

  /// @throws IllegalArgumentException if the text is null or blank
  static void requireText(@Nullable String text, String member) {
    if (text == null || text.isBlank()) {
      throw new IllegalArgumentException(member + " is missing");
    }
  }
}
