package dev.runnel.store;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/// The workers' clock, which never goes back: what is due stays due, and a delay of a minute does
/// not become an hour if the machine's clock is changed. Thread-safe.
///
/// It follows the underlying clock forward. While that one is behind, because it was set back, this
/// one advances at half speed until they meet.
public final class SteadyClock implements InstantSource {
  private final InstantSource below;
  private final LongSupplier nanos;

  // Guarded by this.
  private Instant last;
  private long lastNanos;

  public SteadyClock(InstantSource below) {
    this(below, System::nanoTime);
  }

  /// @param nanos a monotonic time source in nanoseconds
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

  /// Advances to that time if it is later, because an earlier process had reached it.
  public synchronized void notBefore(Instant earlierProcess) {
    if (earlierProcess.isAfter(last)) {
      last = earlierProcess;
    }
  }
}
