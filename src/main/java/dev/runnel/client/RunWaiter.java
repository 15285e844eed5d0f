package dev.runnel.client;

import dev.runnel.wire.RunItem;
import dev.runnel.wire.RunStateValue;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Polls a run until it reaches the desired state. Temporary failures are retried; permanent ones
/// and the deadline end the wait.
final class RunWaiter {
  private static final Duration FIRST_DELAY = Duration.ofSeconds(1);
  private static final Duration MAX_DELAY = Duration.ofSeconds(15);
  private static final Duration LINK_WAIT = Duration.ofSeconds(1);

  /// Timeout of the last request, which begins at the deadline.
  private static final Duration LAST_REQUEST_TIMEOUT = Duration.ofSeconds(1);

  private final Runs runs;
  private final Time time;
  private final String runId;
  private final WaitOptions options;
  private final long start;
  private @Nullable RunItem last;
  private Duration delay = FIRST_DELAY;
  private Duration requestedDelay = Duration.ZERO;
  private boolean wasUnderWay;

  RunWaiter(Runs runs, Time time, String runId, WaitOptions options) {
    this.runs = runs;
    this.time = time;
    this.runId = runId;
    this.options = options;
    this.start = time.nanos();
  }

  /// Waits until the run has ended or is blocked.
  RunItem await() {
    while (true) {
      var run = poll(remaining());
      if (run.isPresent() && isSettled(run.get())) {
        return withLink(run.get());
      }
      pause("wait for run " + runId, nextDelay());
    }
  }

  /// Cancels the run, and waits until it has ended for any reason.
  RunItem cancel() {
    while (true) {
      var retryDelay = nextDelay();
      var rejection = Optional.<RunsException>empty();
      try {
        runs.cancel(runId).withOptions(it -> within(remaining(), it)).send();
      } catch (RunsException.BadRequest | RunsException.Unprocessable rejected) {
        rejection = Optional.of(rejected);
      } catch (RunsException failure) {
        throwIfPermanent(failure);
        retryDelay = failure.retryAfter().orElse(retryDelay);
      }
      var run = poll(remaining());
      if (run.isPresent() && run.get().state().isEnded()) {
        return run.get();
      }
      if (run.isPresent()
          && rejection.isPresent()
          && (rejection.get() instanceof RunsException.Unprocessable
              || !run.get().state().isUnderWay())) {
        throw rejection.get();
      }
      pause("cancel run " + runId, retryDelay);
    }
  }

  /// Reads the run; empty if it temporarily cannot be read.
  private Optional<RunItem> poll(Duration timeout) {
    requestedDelay = Duration.ZERO;
    try {
      var run = runs.get(runId).withOptions(it -> within(timeout, it)).send();
      wasUnderWay |= run.state().isUnderWay();
      report(run);
      return Optional.of(run);
    } catch (RunsException failure) {
      throwIfPermanent(failure);
      requestedDelay = failure.retryAfter().orElse(Duration.ZERO);
      return Optional.empty();
    }
  }

  /// Limits a request to the remaining wait.
  private static RequestOptions within(Duration timeout, RequestOptions options) {
    var time = timeout.compareTo(LAST_REQUEST_TIMEOUT) < 0 ? LAST_REQUEST_TIMEOUT : timeout;
    return time.compareTo(options.deadline().orElse(ClientContext.DEFAULT_DEADLINE)) < 0
        ? options.withDeadline(time)
        : options;
  }

  private static void throwIfPermanent(RunsException failure) {
    if (!failure.retryable() || failure instanceof RunsException.Interrupted) {
      throw failure;
    }
  }

  private void report(RunItem run) {
    if (RunChange.isBetween(last, run)) {
      last = run;
      delay = FIRST_DELAY;
      options.progress().accept(run);
    }
  }

  private boolean isSettled(RunItem run) {
    if (run.state().equals(RunStateValue.BLOCKED)) {
      return !options.throughBlocked() && isNew(run);
    }
    return run.state().isEnded() && isNew(run);
  }

  /// Whether the state is newer than the one before the run was reopened. A change seen by this
  /// waiter is new even if the service's timestamps do not show it.
  private boolean isNew(RunItem run) {
    var updated = run.updatedAt();
    return wasUnderWay
        || options.since().isEmpty()
        || updated == null
        || updated.isAfter(options.since().get());
  }

  private RunItem withLink(RunItem ended) {
    var run = ended;
    var linkStart = time.nanos();
    while (run.sessionLink() == null
        && run.state().isEnded()
        && min(remaining(), remainingLinkWait(linkStart)).compareTo(LINK_WAIT) >= 0) {
      time.pause(LINK_WAIT, "wait for run " + runId, false);
      try {
        // If the run was reopened meanwhile, its earlier end is still the result.
        run =
            poll(min(remaining(), remainingLinkWait(linkStart)))
                .filter(it -> it.state().isEnded())
                .orElse(run);
      } catch (RunsException.ServiceError gone) {
        return run;
      }
    }
    return run;
  }

  private Duration remainingLinkWait(long linkStart) {
    return options.sessionPatience().minusNanos(time.nanos() - linkStart);
  }

  private static Duration min(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private Duration nextDelay() {
    var now = delay;
    var longer = delay.multipliedBy(3).dividedBy(2);
    delay = longer.compareTo(MAX_DELAY) > 0 ? MAX_DELAY : longer;
    return now;
  }

  private Duration remaining() {
    return options
        .deadline()
        .map(deadline -> deadline.minusNanos(time.nanos() - start))
        .orElse(Duration.ofDays(1));
  }

  private void pause(String action, Duration next) {
    var remaining = remaining();
    if (!remaining.isPositive()) {
      throw RunsException.waitTimedOut(action, options.deadline().orElseThrow());
    }
    time.pause(
        min(next.compareTo(requestedDelay) > 0 ? next : requestedDelay, remaining), action, false);
  }
}
