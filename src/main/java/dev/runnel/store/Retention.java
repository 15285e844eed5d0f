package dev.runnel.store;

import java.time.Duration;

/// How long stored things are kept; a time of centuries for ever.
///
/// @param runs after the end of a run
/// @param transcripts after the end of a run
/// @param deliveries handled messages and posts, which also detect repetitions
/// @param parked what was given up
/// @param audit entries of the audit log
public record Retention(
    Duration runs, Duration transcripts, Duration deliveries, Duration parked, Duration audit) {
  private static final Duration FOREVER = Duration.ofDays(365_000);

  public static final Retention USUAL =
      new Retention(
          FOREVER, FOREVER, Duration.ofDays(7), Duration.ofDays(30), Duration.ofDays(400));
}
