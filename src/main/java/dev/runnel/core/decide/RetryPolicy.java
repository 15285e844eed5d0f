package dev.runnel.core.decide;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// Decides when a failed delivery or post is tried again, and when Runnel gives up. Pure except for
/// the random generator, which is passed in.
///
/// @param first the delay after the first failure; it doubles with each further one, with jitter
/// @param longest the maximum delay
/// @param patience for how long to retry while the other side is unavailable
/// @param minAttempts minimum number of attempts before Runnel gives up because of that
/// @param maxErrors maximum number of attempts that cause unexpected errors
public record RetryPolicy(
    Duration first,
    Duration longest,
    Duration patience,
    int minAttempts,
    int maxErrors,
    RandomGenerator chance) {
  public static RetryPolicy standard(RandomGenerator chance) {
    return new RetryPolicy(
        Duration.ofSeconds(1), Duration.ofMinutes(1), Duration.ofHours(24), 20, 10, chance);
  }

  /// When to try again while the other side is unavailable. Age alone is no reason to give up: the
  /// delivery or post may have waited for days for an approval, or for a valid credential, without
  /// an attempt.
  ///
  /// @param attempts number of attempts made
  /// @param since when it arrived
  /// @param retryAfter the other side's `Retry-After`, which overrides the backoff and its maximum;
  ///   the delay is never shorter than the first one
  /// @return empty to give up
  public Optional<Instant> afterOutage(
      int attempts, Instant since, Optional<Duration> retryAfter, Instant now) {
    return attempts >= minAttempts && Duration.between(since, now).compareTo(patience) > 0
        ? Optional.empty()
        : Optional.of(now.plus(retryAfter.map(this::atLeast).orElseGet(() -> backoff(attempts))));
  }

  /// When to try again after an unexpected error.
  ///
  /// @param attempts number of attempts made
  /// @return empty to give up
  public Optional<Instant> afterError(int attempts, Instant now) {
    return attempts >= maxErrors ? Optional.empty() : Optional.of(now.plus(backoff(attempts)));
  }

  /// With jitter, so that clients that got the same delay do not all return at the same moment.
  private Duration atLeast(Duration retryAfter) {
    var wait = retryAfter.compareTo(first) > 0 ? retryAfter : first;
    return Duration.ofMillis((long) (wait.toMillis() * (1 + chance.nextDouble() / 4)));
  }

  private Duration backoff(int attempts) {
    var doubled = first.multipliedBy(1L << Math.min(Math.max(attempts - 1, 0), 20));
    var bounded = doubled.compareTo(longest) > 0 ? longest : doubled;
    return Duration.ofMillis((long) (bounded.toMillis() * (0.75 + chance.nextDouble() / 2)));
  }
}
