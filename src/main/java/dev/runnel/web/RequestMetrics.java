package dev.runnel.web;

import dev.runnel.core.model.SurfaceId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/// Counts requests since the start, by surface and result. Thread-safe.
public final class RequestMetrics {
  /// @param result `accepted`, `known`, `answered`, `rejected`, `not_stored`, `closed`, `late` or
  ///   `too_much`
  public record Kind(SurfaceId surface, String result) {}

  private final Map<Kind, LongAdder> counts = new ConcurrentHashMap<>();

  void count(SurfaceId surface, String result) {
    counts.computeIfAbsent(new Kind(surface, result), _ -> new LongAdder()).increment();
  }

  /// The counts since the start.
  public Map<Kind, Long> counts() {
    return counts.entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, count -> count.getValue().sum()));
  }
}
