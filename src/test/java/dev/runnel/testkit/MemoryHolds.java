package dev.runnel.testkit;

import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.port.Store;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The holds of a [MemoryStore].
final class MemoryHolds implements Store.Holds {
  private final Map<String, String> holds;

  MemoryHolds() {
    this(Map.of());
  }

  private MemoryHolds(Map<String, String> holds) {
    this.holds = new TreeMap<>(holds);
  }

  MemoryHolds copy() {
    return new MemoryHolds(holds);
  }

  @Override
  public Map<SurfaceId, String> all() {
    return holds.entrySet().stream()
        .collect(Collectors.toMap(each -> new SurfaceId(each.getKey()), Map.Entry::getValue));
  }

  @Override
  public void hold(SurfaceId surface, String why, Instant since) {
    holds.put(surface.value(), why);
  }

  @Override
  public void lift(SurfaceId surface) {
    holds.remove(surface.value());
  }

  /// In words that are the same for the same holds.
  @Override
  public String toString() {
    return holds.toString();
  }
}
