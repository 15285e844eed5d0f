package dev.runnel.core.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Lists of records that were stored by a version which did not have them.
final class Copies {
  private Copies() {}

  static <T> List<T> of(@Nullable List<T> list) {
    return list == null ? List.of() : List.copyOf(list);
  }
}
