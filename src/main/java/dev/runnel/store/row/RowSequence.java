package dev.runnel.store.row;

import dev.runnel.database.Rows;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/// Generates the numbers that order rows: strictly increasing, even if the clock goes back, and
/// close to the time, so that they also increase across processes.
public final class RowSequence {
  private final InstantSource clock;
  private final AtomicLong last;

  /// @param last the newest number of an earlier process
  public RowSequence(InstantSource clock, long last) {
    this.clock = clock;
    this.last = new AtomicLong(last);
  }

  public Instant now() {
    return clock.instant();
  }

  public long next() {
    long now = Rows.micros(clock.instant());
    return last.updateAndGet(before -> Math.max(before + 1, now));
  }
}
