package dev.runnel.console.numbers;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// The median and the 95th percentile of durations, by nearest rank: values that occurred.
public record Percentiles(Duration median, Duration p95) {
  /// @return empty if there are no durations
  static Optional<Percentiles> of(List<Duration> all) {
    if (all.isEmpty()) {
      return Optional.empty();
    }
    var sorted = all.stream().sorted().toList();
    return Optional.of(new Percentiles(rank(sorted, 0.5), rank(sorted, 0.95)));
  }

  private static Duration rank(List<Duration> sorted, double share) {
    return sorted.get((int) Math.ceil(share * sorted.size()) - 1);
  }
}
