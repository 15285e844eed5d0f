package dev.runnel.web;

import dev.runnel.core.model.conversation.SurfaceId;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Counts requests since the start, by surface and result, with the time of the last. Thread-safe.
public final class RequestMetrics {
  /// @param result `accepted`, `known`, `answered`, `rejected`, `not_stored`, `closed`, `late` or
  ///   `too_much`
  public record Kind(SurfaceId surface, String result) {}

  /// Results of requests that the surface recognized.
  private static final List<String> RECOGNIZED = List.of("accepted", "known", "answered");

  private final Map<Kind, LongAdder> counts = new ConcurrentHashMap<>();
  private final Map<Kind, Instant> last = new ConcurrentHashMap<>();

  /// Counts a request.
  public void count(SurfaceId surface, String result, Instant at) {
    var kind = new Kind(surface, result);
    counts.computeIfAbsent(kind, _ -> new LongAdder()).increment();
    last.put(kind, at);
  }

  /// When the platform last sent an authentic request; empty if it has sent none since the start.
  public Optional<Instant> lastSeen(SurfaceId surface) {
    return RECOGNIZED.stream()
        .map(result -> last.get(new Kind(surface, result)))
        .flatMap(Stream::ofNullable)
        .max(Comparator.naturalOrder());
  }

  /// When a request was last rejected, such as one with a wrong signature.
  public Optional<Instant> lastRejected(SurfaceId surface) {
    return Optional.ofNullable(last.get(new Kind(surface, "rejected")));
  }

  /// The counts since the start.
  public Map<Kind, Long> counts() {
    return counts.entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, count -> count.getValue().sum()));
  }
}
