package dev.runnel.surface.kit;

import java.time.Duration;
import java.time.Instant;

/// The pauses after rate limit responses that name none: one minute, twice as long after each
/// further one, at most half an hour. Thread-safe.
final class LimitBackoff {
  private static final Duration FIRST = Duration.ofMinutes(1);
  private static final Duration LONGEST = Duration.ofMinutes(30);

  private Duration length = Duration.ZERO;
  private Instant until = Instant.EPOCH;

  /// How long to wait after such a response. Responses during a pause belong to calls that were
  /// made before it, and count once. After a time without one, twice as long as the last pause, it
  /// begins anew.
  synchronized Duration pause(Instant now) {
    if (now.isBefore(until)) {
      var rest = Duration.between(now, until);
      return rest.compareTo(FIRST) > 0 ? rest : FIRST;
    }
    length = now.isAfter(until.plus(length.multipliedBy(2))) ? FIRST : doubled();
    until = now.plus(length);
    return length;
  }

  private Duration doubled() {
    var twice = length.multipliedBy(2);
    return twice.compareTo(LONGEST) > 0 ? LONGEST : twice;
  }
}
