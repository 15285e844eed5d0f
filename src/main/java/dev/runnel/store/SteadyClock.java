package dev.runnel.store;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/// The workers' time: a clock that never goes back. What is due stays due, and what waits a minute
/// does not wait an hour, whatever is done to the machine's clock.
///
/// It follows the clock below it forward. When that one is behind, because it was put back, this
/// one goes on at half the pace until they meet. For any thread.
public final class SteadyClock implements InstantSource {
  private final InstantSource below;
  private final LongSupplier nanos;

  // Guarded by this.
  private Instant last;
  private long lastNanos;

  public SteadyClock(InstantSource below) {
    this(below, System::nanoTime);
  }

  /// @param nanos what has passed, by a clock that nobody can put back
  SteadyClock(InstantSource below, LongSupplier nanos) {
    this.below = below;
    this.nanos = nanos;
    this.last = below.instant();
    this.lastNanos = nanos.getAsLong();
  }

  @Override
  public Instant instant() {
    var now = below.instant();
    synchronized (this) {
      long nowNanos = nanos.getAsLong();
      var slowly = last.plusNanos(Math.max(0, nowNanos - lastNanos) / 2);
      last = now.isAfter(slowly) ? now : slowly;
      lastNanos = nowNanos;
      return last;
    }
  }

  /// Goes on from there if it is later: an earlier process was already that far.
  public synchronized void notBefore(Instant earlierProcess) {
    if (earlierProcess.isAfter(last)) {
      last = earlierProcess;
    }
  }
}
