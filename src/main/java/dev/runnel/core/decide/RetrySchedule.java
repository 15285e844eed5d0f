package dev.runnel.core.decide;

import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// How long to wait before a try is repeated: doubling, with jitter, up to a bound. Pure but for
/// chance, which is handed in.
public record RetrySchedule(Duration first, Duration longest, RandomGenerator chance) {
  public static RetrySchedule standard(RandomGenerator chance) {
    return new RetrySchedule(Duration.ofSeconds(1), Duration.ofMinutes(1), chance);
  }

  /// @param tries how many were made
  /// @param asked what the other side asked for; obeyed, however often it was tried, but never
  ///     shorter than the first wait
  public Duration after(int tries, Optional<Duration> asked) {
    if (asked.isPresent()) {
      // A little later, so that not all who were told the same come back at the same moment.
      var wait = asked.get().compareTo(first) > 0 ? asked.get() : first;
      return Duration.ofMillis((long) (wait.toMillis() * (1 + chance.nextDouble() / 4)));
    }
    var doubled = first.multipliedBy(1L << Math.min(Math.max(tries - 1, 0), 20));
    var bounded = doubled.compareTo(longest) > 0 ? longest : doubled;
    return Duration.ofMillis((long) (bounded.toMillis() * (0.75 + chance.nextDouble() / 2)));
  }
}
