package dev.runnel.surface.kit;

import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.Map;

/// Creates bounded caches whose entries may be lost.
public final class BoundedCaches {
  private BoundedCaches() {}

  /// A thread-safe map that removes entries that are used seldom when it has more than `most`
  /// entries.
  public static <K, V> Map<K, V> map(int most) {
    return Caffeine.newBuilder().maximumSize(most).executor(Runnable::run).<K, V>build().asMap();
  }
}
