package dev.runnel.console.numbers;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Durations in a compact form, which can be merged: of 100,000 runs they take less than 2 MB.
final class TimeSpans {
  // In microseconds, sorted; never changed.
  private final long[] sorted;

  private TimeSpans(long[] sorted) {
    this.sorted = sorted;
  }

  static TimeSpans of(Stream<Duration> durations) {
    return new TimeSpans(
        durations
            .mapToLong(it -> it.dividedBy(Duration.of(1, ChronoUnit.MICROS)))
            .sorted()
            .toArray());
  }

  static TimeSpans merged(List<TimeSpans> parts) {
    var all = new long[parts.stream().mapToInt(it -> it.sorted.length).sum()];
    int at = 0;
    for (var part : parts) {
      System.arraycopy(part.sorted, 0, all, at, part.sorted.length);
      at += part.sorted.length;
    }
    // Sorted parts are merged by the sort.
    Arrays.sort(all);
    return new TimeSpans(all);
  }

  /// @return empty if there are no durations
  Optional<Percentiles> percentiles() {
    return sorted.length == 0
        ? Optional.empty()
        : Optional.of(new Percentiles(rank(0.5), rank(0.95)));
  }

  private Duration rank(double share) {
    return Duration.of(sorted[(int) Math.ceil(share * sorted.length) - 1], ChronoUnit.MICROS);
  }
}
