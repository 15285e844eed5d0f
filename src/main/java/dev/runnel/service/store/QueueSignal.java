package dev.runnel.service.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// Tells the queue of every depth that a run may have been queued.
public final class QueueSignal {
  private final List<Semaphore> depths =
      Stream.generate(() -> new Semaphore(0)).limit(RunService.DEEPEST + 1L).toList();

  public void tell() {
    depths.forEach(Semaphore::release);
  }

  /// Waits until something came, or the time is over.
  public void await(int depth, Duration most) throws InterruptedException {
    var arrived = depths.get(depth);
    if (arrived.tryAcquire(most.toMillis(), TimeUnit.MILLISECONDS)) {
      arrived.drainPermits();
    }
  }
}
