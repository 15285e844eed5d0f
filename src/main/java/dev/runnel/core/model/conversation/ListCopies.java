package dev.runnel.core.model.conversation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Copies lists that are null in rows stored by an older version.
public final class ListCopies {
  private ListCopies() {}

  public static <T> List<T> of(@Nullable List<T> list) {
    return list == null ? List.of() : List.copyOf(list);
  }
}
