package dev.runnel.core.flow;

import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// How long to wait before a try is repeated: doubling, with jitter, up to a bound. Pure but for
/// chance, which is handed in.
record RetrySchedule(Duration first, Duration longest, RandomGenerator chance) {
  static RetrySchedule standard(RandomGenerator chance) {
    return new RetrySchedule(Duration.ofSeconds(1), Duration.ofMinutes(1), chance);
  }

  /// @param tries how many were made
  /// @param asked what the other side asked for; obeyed where it is longer
  Duration after(int tries, Optional<Duration> asked) {
    var doubled = first.multipliedBy(1L << Math.min(Math.max(tries - 1, 0), 20));
    var bounded = doubled.compareTo(longest) > 0 ? longest : doubled;
    var backoff = Duration.ofMillis((long) (bounded.toMillis() * (0.75 + chance.nextDouble() / 2)));
    return asked.filter(each -> each.compareTo(backoff) > 0).orElse(backoff);
  }
}
