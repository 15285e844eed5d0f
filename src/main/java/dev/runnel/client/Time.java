package dev.runnel.client;

import java.time.Duration;
import java.time.Instant;

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
      };

  /// As calendars say.
  Instant now();

  /// Never set back; only differences mean something.
  long nanos();

  /// Waits, interruptibly.
  void sleep(Duration time) throws InterruptedException;
}
