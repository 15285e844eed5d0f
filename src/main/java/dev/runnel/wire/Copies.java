package dev.runnel.wire;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What the records' components go through. Lists and maps are copied: empty for null, and lists
/// without the nulls that stand where an element could not be read.
final class Copies {
  private Copies() {}

  static <T> List<T> list(@Nullable List<T> list) {
    return list == null ? List.of() : list.stream().filter(Objects::nonNull).toList();
  }

  /// Keeps the order.
  static <V> Map<String, V> map(@Nullable Map<String, V> map) {
    if (map == null || map.isEmpty()) {
      return Map.of();
    }
    return Collections.unmodifiableMap(new LinkedHashMap<>(map));
  }

  /// @throws IllegalArgumentException for null and for blank
  static void requireText(@Nullable String text, String member) {
    if (text == null || text.isBlank()) {
      throw new IllegalArgumentException(member + " is missing");
    }
  }
}
