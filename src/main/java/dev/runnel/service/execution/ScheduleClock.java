package dev.runnel.service.execution;

import dev.runnel.service.store.RunService;
import dev.runnel.service.store.Schedules;
import dev.runnel.threads.SupervisedThread;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Starts the runs of due schedules. Reads the next due time from the database, and waits for it or
/// for a change.
public final class ScheduleClock implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ScheduleClock.class);

  /// Bounded, since the system clock may be adjusted during the wait.
  private static final Duration MAX_WAIT = Duration.ofSeconds(30);

  private final RunService runs;
  private final Schedules schedules;
  private final ConfigResolution configs;
  private final InstantSource clock;
  private final Semaphore changes;
  private final Thread thread;
  private volatile boolean open = true;

  private ScheduleClock(
      RunService runs,
      Schedules schedules,
      ConfigResolution configs,
      InstantSource clock,
      Semaphore changes) {
    this.runs = runs;
    this.schedules = schedules;
    this.configs = configs;
    this.clock = clock;
    this.changes = changes;
    this.thread = SupervisedThread.virtuals("schedules").newThread(this::work);
  }

  /// @param changes receives a permit whenever the next due time may have changed
  public static ScheduleClock start(
      RunService runs,
      Schedules schedules,
      ConfigResolution configs,
      InstantSource clock,
      Semaphore changes) {
    var started = new ScheduleClock(runs, schedules, configs, clock, changes);
    started.thread.start();
    return started;
  }

  /// Waits for the schedule that is just starting its run, if one is, because the database is
  /// closed afterwards.
  @Override
  public void close() {
    open = false;
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void work() {
    try {
      while (open) {
        if (changes.tryAcquire(startDueRuns().toMillis(), TimeUnit.MILLISECONDS)) {
          changes.drainPermits();
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// @return the time to wait until a schedule may be due
  private Duration startDueRuns() {
    try {
      var started = true;
      while (open && started) {
        started = runs.startNextDue(configs::resolved);
      }
      return schedules
          .nextDue()
          .map(due -> Duration.between(clock.instant(), due))
          .filter(wait -> wait.compareTo(MAX_WAIT) < 0)
          .map(wait -> wait.isPositive() ? wait : Duration.ofMillis(1))
          .orElse(MAX_WAIT);
    } catch (Throwable e) {
      log.warn("cannot read schedules, will retry", e);
      return MAX_WAIT;
    }
  }
}
