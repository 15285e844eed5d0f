package dev.runnel.metrics;

import java.time.Duration;
import java.util.stream.LongStream;

/// The upper bounds of histogram buckets: few, because each is a time series for each combination
/// of labels.
final class Buckets {
  private Buckets() {}

  /// For durations of seconds to hours.
  static Duration[] ofWork() {
    return seconds(5, 15, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400);
  }

  /// For waiting times, normally short, but hours when all slots are taken.
  static Duration[] ofWaiting() {
    return seconds(1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400);
  }

  private static Duration[] seconds(long... all) {
    return LongStream.of(all).mapToObj(Duration::ofSeconds).toArray(Duration[]::new);
  }
}
