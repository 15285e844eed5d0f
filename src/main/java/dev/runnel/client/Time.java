package dev.runnel.client;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Clock and sleeping of a client; replaceable in tests.
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
          var ignored = end.await(time.toNanos(), TimeUnit.NANOSECONDS);
        }
      };

  /// Wall-clock time.
  Instant now();

  /// Monotonic time in nanoseconds; only differences are meaningful.
  long nanos();

  /// Sleeps; interruptible.
  void sleep(Duration time) throws InterruptedException;

  /// Sleeps until the time has passed or the latch is released; interruptible.
  default void sleep(Duration time, CountDownLatch end) throws InterruptedException {
    sleep(time);
  }

  /// Sleeps during an operation.
  ///
  /// @param action the operation, as it follows "Could not"
  /// @param inDoubt whether the operation may have had its effect already
  /// @throws RunsException.Interrupted if the thread is interrupted; its interrupt status is set
  default void pause(Duration time, String action, boolean inDoubt) {
    try {
      sleep(time);
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
      throw RunsException.interrupted(action, inDoubt, interrupt);
    }
  }
}
