package dev.runnel.client;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// The clock a client goes by, and how it waits.
interface Time {
  Time SYSTEM =
      new Time() {
        @Override
        public Instant now() {
          return Instant.now();
        }

        @Override
        public long nanos() {
          return System.nanoTime();
        }

        @Override
        public void sleep(Duration time) throws InterruptedException {
          Thread.sleep(time);
        }

        @Override
        public void sleep(Duration time, CountDownLatch end) throws InterruptedException {
          var _ = end.await(time.toNanos(), TimeUnit.NANOSECONDS);
        }
      };

  /// As calendars say.
  Instant now();

  /// Never set back; only differences mean something.
  long nanos();

  /// Waits, interruptibly.
  void sleep(Duration time) throws InterruptedException;

  /// Waits, interruptibly, and no longer than to the end.
  default void sleep(Duration time, CountDownLatch end) throws InterruptedException {
    sleep(time);
  }

  /// Waits for something that is under way.
  ///
  /// @param action after "Could not"
  /// @param inDoubt whether it may have happened already
  /// @throws RunsException.Interrupted when the thread is interrupted; it still is
  default void pause(Duration time, String action, boolean inDoubt) {
    try {
      sleep(time);
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
      throw RunsException.interrupted(action, inDoubt, interrupt);
    }
  }
}
