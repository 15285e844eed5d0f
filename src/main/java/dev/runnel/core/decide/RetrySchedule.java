package dev.runnel.core.decide;

import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// Computes the delay before a retry: exponential backoff with jitter, up to a maximum. Pure except
/// for the random generator, which is passed in.
public record RetrySchedule(Duration first, Duration longest, RandomGenerator chance) {
  public static RetrySchedule standard(RandomGenerator chance) {
    return new RetrySchedule(Duration.ofSeconds(1), Duration.ofMinutes(1), chance);
  }

  /// @param tries number of attempts made
  /// @param asked the delay that the other side asked for, which overrides the backoff and its
  ///   maximum; the delay is never shorter than the first one
  public Duration after(int tries, Optional<Duration> asked) {
    if (asked.isPresent()) {
      // Jitter, so that clients that got the same delay do not all return at the same moment.
      var wait = asked.get().compareTo(first) > 0 ? asked.get() : first;
      return Duration.ofMillis((long) (wait.toMillis() * (1 + chance.nextDouble() / 4)));
    }
    var doubled = first.multipliedBy(1L << Math.min(Math.max(tries - 1, 0), 20));
    var bounded = doubled.compareTo(longest) > 0 ? longest : doubled;
    return Duration.ofMillis((long) (bounded.toMillis() * (0.75 + chance.nextDouble() / 2)));
  }
}
