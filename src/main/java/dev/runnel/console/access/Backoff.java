package dev.runnel.console.access;

import java.time.Duration;
import java.time.Instant;

/// Limits token guessing: after a few wrong attempts each further one must wait, twice as long each
/// time. Common to all clients, because an address does not identify a client. Not thread-safe: the
/// owner synchronizes access.
final class Backoff {
  private static final int FREE_TRIES = 5;
  private static final Duration FIRST = Duration.ofSeconds(1);
  private static final Duration MAX = Duration.ofSeconds(30);
  private static final Duration FORGIVEN_AFTER = Duration.ofMinutes(10);

  private int wrongTries;
  private Instant next = Instant.EPOCH;

  /// How long the next attempt has to wait; zero if it need not.
  Duration left(Instant now) {
    var left = Duration.between(now, next);
    return left.isNegative() ? Duration.ZERO : left;
  }

  void wrong(Instant now) {
    if (now.isAfter(next.plus(FORGIVEN_AFTER))) {
      wrongTries = 0;
    }
    wrongTries++;
    int slow = Math.min(wrongTries - FREE_TRIES, 10);
    var wait = slow < 1 ? Duration.ZERO : FIRST.multipliedBy(1L << (slow - 1));
    next = now.plus(wait.compareTo(MAX) > 0 ? MAX : wait);
  }

  void right() {
    wrongTries = 0;
    next = Instant.EPOCH;
  }
}
