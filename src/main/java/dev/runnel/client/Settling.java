package dev.runnel.client;

import dev.runnel.wire.RunItem;
import dev.runnel.wire.RunStateValue;
import java.time.Duration;
import java.util.Optional;

/// Reads a run until it is where it shall be. What passes is waited out; only what will not pass,
/// and the deadline, end it.
final class Settling {
  private static final Duration FIRST_WAIT = Duration.ofSeconds(1);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(15);
  private static final Duration LINK_WAIT = Duration.ofSeconds(1);

  private final Runs runs;
  private final Time time;
  private final String runId;
  private final Waiting how;
  private final long start;
  private Optional<RunItem> seen = Optional.empty();
  private Duration wait = FIRST_WAIT;

  Settling(Runs runs, Time time, String runId, Waiting how) {
    this.runs = runs;
    this.time = time;
    this.runId = runId;
    this.how = how;
    this.start = time.nanos();
  }

  /// Until it ended, or waits for somebody.
  RunItem await() {
    while (true) {
      var run = look();
      if (run.isPresent() && isSettled(run.get())) {
        return withLink(run.get());
      }
      pause("wait for run " + runId, nextWait());
    }
  }

  /// Until it is over because it was cancelled, or was over anyway.
  RunItem cancel() {
    while (true) {
      var wait = nextWait();
      var refusal = Optional.<RunsException.BadRequest>empty();
      try {
        runs.cancel(runId).send();
      } catch (RunsException.BadRequest no) {
        refusal = Optional.of(no);
      } catch (RunsException failure) {
        throwUnlessItPasses(failure);
        wait = failure.retryAfter().orElse(wait);
      }
      var run = look();
      if (run.isPresent() && run.get().state().isEnded()) {
        return run.get();
      }
      if (run.isPresent() && refusal.isPresent() && !run.get().state().isUnderWay()) {
        throw refusal.get();
      }
      pause("cancel run " + runId, wait);
    }
  }

  /// Empty while it cannot be read.
  private Optional<RunItem> look() {
    try {
      var run = runs.get(runId).send();
      told(run);
      return Optional.of(run);
    } catch (RunsException failure) {
      throwUnlessItPasses(failure);
      return Optional.empty();
    }
  }

  private static void throwUnlessItPasses(RunsException failure) {
    if (!failure.retryable() || failure instanceof RunsException.Interrupted) {
      throw failure;
    }
  }

  private void told(RunItem run) {
    if (!Optional.of(run).equals(seen)) {
      seen = Optional.of(run);
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

  /// Not the state in which it was before it was reopened.
  private boolean isNews(RunItem run) {
    var updated = run.updatedAt();
    return how.since().isEmpty() || updated == null || updated.isAfter(how.since().get());
  }

  private RunItem withLink(RunItem ended) {
    var run = ended;
    var until = time.nanos() + how.sessionPatience().toNanos();
    while (run.sessionLink() == null
        && run.state().isEnded()
        && time.nanos() + LINK_WAIT.toNanos() <= until
        && left().compareTo(LINK_WAIT) > 0) {
      time.pause(LINK_WAIT, "wait for run " + runId, false);
      try {
        // One that was reopened meanwhile had ended all the same.
        run = look().filter(it -> it.state().isEnded()).orElse(run);
      } catch (RunsException.Answered noLongerThere) {
        return run;
      }
    }
    return run;
  }

  private Duration nextWait() {
    var now = wait;
    var longer = wait.multipliedBy(3).dividedBy(2);
    wait = longer.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : longer;
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
    time.pause(next.compareTo(left) < 0 ? next : left, action, false);
  }
}
