package dev.runnel.surface.kit;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/// Creates bounded caches whose entries may be lost.
public final class Recent {
  private Recent() {}

  /// A thread-safe map that removes its least recently used entry when it has more than `most`
  /// entries.
  public static <K, V> Map<K, V> map(int most) {
    return Collections.synchronizedMap(
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1;

          @Override
          protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > most;
          }
        });
  }
}
