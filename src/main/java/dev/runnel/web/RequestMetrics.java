package dev.runnel.web;

import dev.runnel.core.model.SurfaceId;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// Counts requests since the start, by surface and result. Thread-safe.
public final class RequestMetrics {
  /// @param result `accepted`, `known`, `answered`, `rejected`, `not_stored`, `closed`, `late` or
  ///   `too_much`
  public record Kind(SurfaceId surface, String result) {}

  private final Map<Kind, LongAdder> counts = new ConcurrentHashMap<>();

  void count(SurfaceId surface, String result) {
    counts.computeIfAbsent(new Kind(surface, result), _ -> new LongAdder()).increment();
  }

  /// Number of requests that were refused because they could not be stored.
  long notStored() {
    return counts.entrySet().stream()
        .filter(each -> each.getKey().result().equals("not_stored"))
        .mapToLong(each -> each.getValue().sum())
        .sum();
  }

  Map<String, Long> byLabels() {
    var lines = new TreeMap<String, Long>();
    counts.forEach(
        (kind, count) ->
            lines.put(
                "surface=\"%s\",result=\"%s\"".formatted(kind.surface(), kind.result()),
                count.sum()));
    return lines;
  }
}
