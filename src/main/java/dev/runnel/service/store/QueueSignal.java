package dev.runnel.service.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// Wakes the queue workers of all depths when a run may have been queued. Thread-safe.
public final class QueueSignal {
  private final List<Semaphore> depths =
      Stream.generate(() -> new Semaphore(0)).limit(RunService.DEEPEST + 1L).toList();

  public void tell() {
    depths.forEach(Semaphore::release);
  }

  /// Wakes the queue worker of one depth.
  void tell(int depth) {
    depths.get(depth).release();
  }

  /// Waits for a signal, for at most the given time.
  public void await(int depth, Duration most) throws InterruptedException {
    var arrived = depths.get(depth);
    if (arrived.tryAcquire(most.toMillis(), TimeUnit.MILLISECONDS)) {
      arrived.drainPermits();
    }
  }
}
