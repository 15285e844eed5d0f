package dev.runnel.client;

import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Repeats what failed and may be repeated, within one deadline over all attempts.
///
/// - The answer's `x-should-retry` decides; else the problem's `retryable`, its code, its status.
/// - A request that adds something is repeated only when it had no effect: it was not sent, or
///   the service refused it. A lost answer and a 5xx may hide an effect.
/// - The wait is the service's, if it is one we would keep to; else it doubles, with some chance.
/// - A wait that would outlast the deadline is not begun: the failure is told at once.
final class RetryingTransport implements Transport {
  private static final Logger log = LoggerFactory.getLogger(RetryingTransport.class);
  private static final Duration LONGEST_ASKED_WAIT = Duration.ofSeconds(60);
  private static final Duration FIRST_WAIT = Duration.ofMillis(500);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(8);
  private static final double SPREAD = 0.25;

  private final Transport next;
  private final Duration attemptTimeout;
  private final Sleeper sleeper;
  private final RandomGenerator chance;

  /// @param attemptTimeout for each attempt of a request that may be repeated without harm; any
  ///     other has the whole deadline, because giving it up early gains nothing
  RetryingTransport(
      Transport next, Duration attemptTimeout, Sleeper sleeper, RandomGenerator chance) {
    this.next = next;
    this.attemptTimeout = attemptTimeout;
    this.sleeper = sleeper;
    this.chance = chance;
  }

  @Override
  public Answer send(HttpCall call, Duration timeout) {
    var deadline = System.nanoTime() + timeout.toNanos();
    for (int retry = 0; ; retry++) {
      var isLast = retry >= call.maxRetries();
      Duration wait;
      boolean inDoubt;
      try {
        var answer = next.send(call, attempt(call, left(deadline)));
        wait = asked(answer).orElse(backoff(retry));
        if (isLast || !mayRepeat(call, answer) || wait.compareTo(left(deadline)) >= 0) {
          return answer;
        }
        inDoubt = call.changesSomething() && !answer.isRefusal();
      } catch (RunsException.Unanswered failure) {
        wait = backoff(retry);
        if (isLast || !mayRepeat(call, failure) || wait.compareTo(left(deadline)) >= 0) {
          throw failure;
        }
        inDoubt = failure.mayHaveHappened();
      }
      log.debug("run service asked again call={} retry={} wait={}", call, retry + 1, wait);
      pause(call, wait, inDoubt);
    }
  }

  @Override
  public void close() {
    next.close();
  }

  private Duration attempt(HttpCall call, Duration left) {
    return call.isRepeatable() && attemptTimeout.compareTo(left) < 0 ? attemptTimeout : left;
  }

  private static boolean mayRepeat(HttpCall call, Answer answer) {
    if (answer.isSuccess() || !(call.isRepeatable() || answer.isRefusal())) {
      return false;
    }
    return switch (answer.headers().get("x-should-retry")) {
      case "true" -> true;
      case "false" -> false;
      case null, default -> answer.isRetryable();
    };
  }

  private static boolean mayRepeat(HttpCall call, RunsException.Unanswered failure) {
    return switch (failure) {
      case RunsException.ConnectionFailed _, RunsException.TimedOut _ ->
          call.isRepeatable() || !failure.wasSent();
      case RunsException.Interrupted _ -> false;
    };
  }

  private static Optional<Duration> asked(Answer answer) {
    return RetryAfter.of(answer.headers(), answer.arrived(), LONGEST_ASKED_WAIT);
  }

  private Duration backoff(int retry) {
    var whole = Math.min(FIRST_WAIT.toMillis() << Math.min(retry, 10), LONGEST_WAIT.toMillis());
    return Duration.ofMillis(Math.round(whole * (1 - SPREAD * chance.nextDouble())));
  }

  private void pause(HttpCall call, Duration wait, boolean inDoubt) {
    try {
      sleeper.sleep(wait);
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
      throw new RunsException.Interrupted(call, inDoubt, interrupt);
    }
  }

  private static Duration left(long deadline) {
    return Duration.ofNanos(deadline - System.nanoTime());
  }
}
