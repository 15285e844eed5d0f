package dev.runnel.service.run.limit;

import java.time.Duration;

/// The resource limits of runs.
///
/// @param start maximum time from claiming the run to starting the agent: clones and setup commands
/// @param idle maximum time without output
/// @param total maximum duration of one execution of the agent
/// @param outputBytes maximum output of one execution, standard output and standard error together
/// @param diskBytes maximum size of a run's workspace
/// @param keep how long the workspace of an ended run is kept for follow-ups
/// @param keepBytes maximum size of all workspaces together; above it the least recently used ones
///   are deleted
/// @param drain how long working agents may take to finish when the service stops
/// @param cost the cost limit of one run
public record Limits(
    Duration start,
    Duration idle,
    Duration total,
    long outputBytes,
    long diskBytes,
    Duration keep,
    long keepBytes,
    Duration drain,
    CostLimit cost) {
  /// No time limit.
  public static final Duration FOREVER = Duration.ofDays(36_500);

  /// No size limit.
  public static final long UNLIMITED = Long.MAX_VALUE;

  private static final long MIB = 1024L * 1024;

  public static final Limits DEFAULT =
      new Limits(
          Duration.ofMinutes(15),
          Duration.ofHours(1),
          Duration.ofHours(6),
          256 * MIB,
          10 * 1024 * MIB,
          Duration.ofDays(7),
          50 * 1024 * MIB,
          Duration.ZERO);

  /// Limits without a cost limit.
  public Limits(
      Duration start,
      Duration idle,
      Duration total,
      long outputBytes,
      long diskBytes,
      Duration keep,
      long keepBytes,
      Duration drain) {
    this(start, idle, total, outputBytes, diskBytes, keep, keepBytes, drain, CostLimit.NONE);
  }

  /// The same limits with another cost limit.
  public Limits with(CostLimit other) {
    return new Limits(start, idle, total, outputBytes, diskBytes, keep, keepBytes, drain, other);
  }

  /// Formats a duration in the biggest unit that divides it: `90 seconds`, `15 minutes`, `6 hours`,
  /// `7 days`.
  public static String format(Duration time) {
    var seconds = time.toSeconds();
    if (seconds % 86_400 == 0 && seconds > 0) {
      return count(seconds / 86_400, "day");
    }
    if (seconds % 3600 == 0 && seconds > 0) {
      return count(seconds / 3600, "hour");
    }
    return seconds % 60 == 0 && seconds > 0
        ? count(seconds / 60, "minute")
        : count(seconds, "second");
  }

  /// Formats a size in the biggest unit that divides it: `512 bytes`, `256 MiB`, `10 GiB`.
  public static String format(long bytes) {
    if (bytes % (1024 * MIB) == 0 && bytes > 0) {
      return bytes / (1024 * MIB) + " GiB";
    }
    if (bytes % MIB == 0 && bytes > 0) {
      return bytes / MIB + " MiB";
    }
    return bytes % 1024 == 0 && bytes > 0 ? bytes / 1024 + " KiB" : count(bytes, "byte");
  }

  private static String count(long number, String unit) {
    return number + " " + unit + (number == 1 ? "" : "s");
  }
}
