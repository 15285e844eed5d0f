package dev.runnel.service.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// Wakes the queue workers of all depths when a run may have been queued. Thread-safe.
public final class QueueSignal {
  private final List<Semaphore> depths =
      Stream.generate(() -> new Semaphore(0)).limit(RunService.MAX_DEPTH + 1L).toList();

  public void signal() {
    depths.forEach(Semaphore::release);
  }

  /// Wakes the queue worker of one depth.
  void signal(int depth) {
    depths.get(depth).release();
  }

  /// Waits for a signal, for at most the given time.
  public void await(int depth, Duration timeout) throws InterruptedException {
    var permits = depths.get(depth);
    if (permits.tryAcquire(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
      permits.drainPermits();
    }
  }
}
