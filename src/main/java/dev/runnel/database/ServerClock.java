package dev.runnel.database;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/// The database server's time, so that nodes with different clocks agree on what is due and which
/// node is dead. Read every few seconds in the background and extrapolated in between, so it also
/// advances while the server does not respond. Thread-safe.
final class ServerClock implements InstantSource {
  private static final Duration ASK_AGAIN = Duration.ofSeconds(5);
  private static final Duration QUICK = Duration.ofMillis(250);
  private static final int ATTEMPTS = 3;

  /// @param nanos this machine's `System.nanoTime()` at that time
  private record Sample(Instant at, long nanos) {
    Duration age() {
      return Duration.ofNanos(System.nanoTime() - nanos);
    }
  }

  private final Database database;
  private final AtomicBoolean asking = new AtomicBoolean();
  private volatile Sample sample;

  ServerClock(Database database) {
    this.database = database;
    this.sample = ask();
  }

  @Override
  public Instant instant() {
    var known = sample;
    if (known.age().compareTo(ASK_AGAIN) > 0 && asking.compareAndSet(false, true)) {
      Thread.ofVirtual().name("server-clock").start(this::askAgain);
    }
    return known.at().plus(known.age());
  }

  private void askAgain() {
    try {
      sample = ask();
    } catch (DatabaseException gone) {
      // Callers that need the database report its failure.
    } finally {
      asking.set(false);
    }
  }

  /// The sample of the quickest answer: this machine may stand still while it waits for one.
  private Sample ask() {
    var best = askOnce();
    for (int i = 1; i < ATTEMPTS && best.trip().compareTo(QUICK) > 0; i++) {
      var next = askOnce();
      best = next.trip().compareTo(best.trip()) < 0 ? next : best;
    }
    return best.sample();
  }

  /// @param trip from the question to its answer
  private record Answer(Sample sample, Duration trip) {}

  private Answer askOnce() {
    return database.read(
        rows -> {
          // A connection is there: only the time of the question itself blurs the answer.
          long before = System.nanoTime();
          long micros =
              rows.first(
                      "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)",
                      row -> row.getLong(1))
                  .orElseThrow();
          long trip = System.nanoTime() - before;
          return new Answer(
              new Sample(Instant.EPOCH.plus(micros, ChronoUnit.MICROS), before + trip / 2),
              Duration.ofNanos(trip));
        });
  }
}
