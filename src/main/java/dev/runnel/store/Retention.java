package dev.runnel.store;

import java.time.Duration;

/// How long rows are kept before they are deleted. A duration of centuries keeps them forever.
///
/// @param runs how long a run is kept after its end
/// @param transcripts how long a transcript is kept after the end of its run
/// @param deliveries how long messages and posts are kept after they were processed; until then, a
///   repeated message is recognized
/// @param parked how long parked messages and posts are kept
/// @param audit how long entries of the audit log are kept
public record Retention(
    Duration runs, Duration transcripts, Duration deliveries, Duration parked, Duration audit) {
  private static final Duration FOREVER = Duration.ofDays(365_000);

  /// Longer than any month, because a monthly budget counts the starts of a month.
  private static final Duration MIN_STARTS = Duration.ofDays(32);

  public static final Retention DEFAULT =
      new Retention(
          FOREVER, FOREVER, Duration.ofDays(7), Duration.ofDays(30), Duration.ofDays(400));

  /// How long the starts are kept, which budgets and usage count: as long as runs, and at least 32
  /// days.
  public Duration starts() {
    return runs.compareTo(MIN_STARTS) < 0 ? MIN_STARTS : runs;
  }
}
