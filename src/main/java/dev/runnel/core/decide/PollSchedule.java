package dev.runnel.core.decide;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// Computes the delay before the next poll of the runs. Pure.
///
/// @param fast delay while something changed within `quietAfter`
/// @param slow delay after nothing changed for longer
/// @param slowest maximum delay after failures
public record PollSchedule(Duration fast, Duration slow, Duration slowest, Duration quietAfter) {
  public static final PollSchedule DEFAULT =
      new PollSchedule(
          Duration.ofSeconds(1),
          Duration.ofSeconds(2),
          Duration.ofSeconds(30),
          Duration.ofMinutes(5));

  public Duration afterPoll(Instant now, Instant lastChange) {
    return Duration.between(lastChange, now).compareTo(quietAfter) > 0 ? slow : fast;
  }

  /// @param failures number of consecutive failed polls, this one included
  public Duration afterFailure(int failures, Optional<Duration> retryAfter) {
    var backoff = fast.multipliedBy(1L << Math.min(failures, 10));
    var wait = retryAfter.filter(each -> each.compareTo(backoff) > 0).orElse(backoff);
    return wait.compareTo(slowest) > 0 ? slowest : wait;
  }
}
