package dev.runnel.store;

import dev.runnel.database.Rows;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/// Numbers that only grow inside a process, also when the clock goes back, and that follow the
/// clock
/// from process to process: the order of rows.
final class Sequence {
  private final InstantSource clock;
  private final AtomicLong last = new AtomicLong();

  Sequence(InstantSource clock) {
    this.clock = clock;
  }

  Instant now() {
    return clock.instant();
  }

  long next() {
    long now = Rows.micros(clock.instant());
    return last.updateAndGet(before -> Math.max(before + 1, now));
  }
}
