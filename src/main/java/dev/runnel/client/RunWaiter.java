package dev.runnel.client;

import dev.runnel.wire.RunItem;
import dev.runnel.wire.RunStateValue;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Polls a run until it reaches the desired state. Temporary failures are retried; permanent ones
/// and the deadline end the wait.
final class RunWaiter {
  private static final Duration FIRST_WAIT = Duration.ofSeconds(1);
  private static final Duration MAX_WAIT = Duration.ofSeconds(15);
  private static final Duration LINK_WAIT = Duration.ofSeconds(1);

  /// Timeout of the last request, which begins at the deadline.
  private static final Duration LAST_LOOK = Duration.ofSeconds(1);

  private final Runs runs;
  private final Time time;
  private final String runId;
  private final WaitOptions how;
  private final long start;
  private @Nullable RunItem seen;
  private Duration wait = FIRST_WAIT;
  private Duration asked = Duration.ZERO;
  private boolean wasUnderWay;

  RunWaiter(Runs runs, Time time, String runId, WaitOptions how) {
    this.runs = runs;
    this.time = time;
    this.runId = runId;
    this.how = how;
    this.start = time.nanos();
  }

  /// Waits until the run has ended or is blocked.
  RunItem await() {
    while (true) {
      var run = poll(left());
      if (run.isPresent() && isSettled(run.get())) {
        return withLink(run.get());
      }
      pause("wait for run " + runId, nextWait());
    }
  }

  /// Cancels the run, and waits until it has ended for any reason.
  RunItem cancel() {
    while (true) {
      var wait = nextWait();
      var refusal = Optional.<RunsException>empty();
      try {
        runs.cancel(runId).withOptions(options -> within(left(), options)).send();
      } catch (RunsException.BadRequest | RunsException.Unprocessable no) {
        refusal = Optional.of(no);
      } catch (RunsException failure) {
        throwUnlessItPasses(failure);
        wait = failure.retryAfter().orElse(wait);
      }
      var run = poll(left());
      if (run.isPresent() && run.get().state().isEnded()) {
        return run.get();
      }
      if (run.isPresent()
          && refusal.isPresent()
          && (refusal.get() instanceof RunsException.Unprocessable
              || !run.get().state().isUnderWay())) {
        throw refusal.get();
      }
      pause("cancel run " + runId, wait);
    }
  }

  /// Reads the run; empty if it temporarily cannot be read.
  private Optional<RunItem> poll(Duration most) {
    asked = Duration.ZERO;
    try {
      var run = runs.get(runId).withOptions(options -> within(most, options)).send();
      wasUnderWay |= run.state().isUnderWay();
      report(run);
      return Optional.of(run);
    } catch (RunsException failure) {
      throwUnlessItPasses(failure);
      asked = failure.retryAfter().orElse(Duration.ZERO);
      return Optional.empty();
    }
  }

  /// Limits a request to the remaining wait.
  private static RequestOptions within(Duration most, RequestOptions options) {
    var time = most.compareTo(LAST_LOOK) < 0 ? LAST_LOOK : most;
    return time.compareTo(options.deadline().orElse(ClientContext.USUAL_DEADLINE)) < 0
        ? options.withDeadline(time)
        : options;
  }

  private static void throwUnlessItPasses(RunsException failure) {
    if (!failure.retryable() || failure instanceof RunsException.Interrupted) {
      throw failure;
    }
  }

  private void report(RunItem run) {
    if (RunChange.isBetween(seen, run)) {
      seen = run;
      wait = FIRST_WAIT;
      how.progress().accept(run);
    }
  }

  private boolean isSettled(RunItem run) {
    if (run.state().equals(RunStateValue.BLOCKED)) {
      return !how.throughBlocked() && isNews(run);
    }
    return run.state().isEnded() && isNews(run);
  }

  /// Whether the state is newer than the one before the run was reopened. A change seen by this
  /// waiter is new even if the service's timestamps do not show it.
  private boolean isNews(RunItem run) {
    var updated = run.updatedAt();
    return wasUnderWay
        || how.since().isEmpty()
        || updated == null
        || updated.isAfter(how.since().get());
  }

  private RunItem withLink(RunItem ended) {
    var run = ended;
    var begin = time.nanos();
    while (run.sessionLink() == null
        && run.state().isEnded()
        && least(left(), patience(begin)).compareTo(LINK_WAIT) >= 0) {
      time.pause(LINK_WAIT, "wait for run " + runId, false);
      try {
        // If the run was reopened meanwhile, its earlier end is still the result.
        run = poll(least(left(), patience(begin))).filter(it -> it.state().isEnded()).orElse(run);
      } catch (RunsException.ServiceError noLongerThere) {
        return run;
      }
    }
    return run;
  }

  private Duration patience(long begin) {
    return how.sessionPatience().minusNanos(time.nanos() - begin);
  }

  private static Duration least(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private Duration nextWait() {
    var now = wait;
    var longer = wait.multipliedBy(3).dividedBy(2);
    wait = longer.compareTo(MAX_WAIT) > 0 ? MAX_WAIT : longer;
    return now;
  }

  private Duration left() {
    return how.deadline()
        .map(deadline -> deadline.minusNanos(time.nanos() - start))
        .orElse(Duration.ofDays(1));
  }

  private void pause(String action, Duration next) {
    var left = left();
    if (!left.isPositive()) {
      throw RunsException.late(action, how.deadline().orElseThrow());
    }
    time.pause(least(next.compareTo(asked) > 0 ? next : asked, left), action, false);
  }
}
