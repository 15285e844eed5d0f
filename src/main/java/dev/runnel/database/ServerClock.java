package dev.runnel.database;

import dev.runnel.threads.SupervisedThread;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/// The database server's time, so that nodes with different clocks agree on which rows are due and
/// which node is dead. It is read every few seconds in the background and extrapolated in between,
/// so it also advances while the server does not respond. Thread-safe.
final class ServerClock implements InstantSource {
  private static final Duration MAX_AGE = Duration.ofSeconds(5);
  private static final Duration GOOD_ROUND_TRIP = Duration.ofMillis(250);
  private static final int MAX_ATTEMPTS = 3;

  /// @param nanos this machine's `System.nanoTime()` at that time
  private record Sample(Instant at, long nanos) {
    Duration age() {
      return Duration.ofNanos(System.nanoTime() - nanos);
    }
  }

  private final Database database;
  private final AtomicBoolean refreshing = new AtomicBoolean();
  private volatile Sample sample;

  ServerClock(Database database) {
    this.database = database;
    this.sample = measure();
  }

  @Override
  public Instant instant() {
    var known = sample;
    if (known.age().compareTo(MAX_AGE) > 0 && refreshing.compareAndSet(false, true)) {
      SupervisedThread.virtual("server-clock", this::refresh, _ -> refreshing.set(false));
    }
    return known.at().plus(known.age());
  }

  private void refresh() {
    try {
      sample = measure();
    } catch (DatabaseException gone) {
      // Callers that need the database report its failure.
    }
  }

  /// The sample with the shortest round trip of some attempts, because this machine may be paused
  /// during one.
  private Sample measure() {
    var best = measureOnce();
    for (int i = 1; i < MAX_ATTEMPTS && best.roundTrip().compareTo(GOOD_ROUND_TRIP) > 0; i++) {
      var next = measureOnce();
      best = next.roundTrip().compareTo(best.roundTrip()) < 0 ? next : best;
    }
    return best.sample();
  }

  private record Measurement(Sample sample, Duration roundTrip) {}

  private Measurement measureOnce() {
    return database.read(
        rows -> {
          // Measured without the time to get a connection, because the round trip limits the
          // precision.
          long before = System.nanoTime();
          long micros =
              rows.first(
                      "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)",
                      row -> row.getLong(1))
                  .orElseThrow();
          long roundTrip = System.nanoTime() - before;
          return new Measurement(
              new Sample(Instant.EPOCH.plus(micros, ChronoUnit.MICROS), before + roundTrip / 2),
              Duration.ofNanos(roundTrip));
        });
  }
}
