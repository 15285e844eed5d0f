package dev.runnel.client;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/// A clock that moves only when somebody waits, and notes how long.
class TestTime implements Time {
  final List<Duration> waits = new CopyOnWriteArrayList<>();

  private final Instant start;
  private final AtomicLong passed = new AtomicLong();

  TestTime(Instant start) {
    this.start = start;
  }

  @Override
  public Instant now() {
    return start.plusNanos(passed.get());
  }

  @Override
  public long nanos() {
    return passed.get();
  }

  @Override
  public void sleep(Duration time) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    waits.add(time);
    passed.addAndGet(time.toNanos());
  }
}
