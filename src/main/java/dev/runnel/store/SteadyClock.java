package dev.runnel.store;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/// The workers' clock, which never goes back: due rows stay due, and a delay of a minute does not
/// become an hour if the machine's clock is set back. Thread-safe.
///
/// It follows the underlying clock. While that one is behind, because it was set back, this one
/// advances at half speed until they agree.
public final class SteadyClock implements InstantSource {
  private final InstantSource underlying;
  private final LongSupplier nanos;

  // Guarded by this.
  private Instant last;
  private long lastNanos;

  public SteadyClock(InstantSource underlying) {
    this(underlying, System::nanoTime);
  }

  /// @param nanos a monotonic time source in nanoseconds
  SteadyClock(InstantSource underlying, LongSupplier nanos) {
    this.underlying = underlying;
    this.nanos = nanos;
    this.last = underlying.instant();
    this.lastNanos = nanos.getAsLong();
  }

  @Override
  public Instant instant() {
    var now = underlying.instant();
    synchronized (this) {
      long nowNanos = nanos.getAsLong();
      var slowly = last.plusNanos(Math.max(0, nowNanos - lastNanos) / 2);
      last = now.isAfter(slowly) ? now : slowly;
      lastNanos = nowNanos;
      return last;
    }
  }

  /// Advances to the time that an earlier process had reached, if it is later.
  public synchronized void notBefore(Instant earlierProcess) {
    if (earlierProcess.isAfter(last)) {
      last = earlierProcess;
    }
  }
}
