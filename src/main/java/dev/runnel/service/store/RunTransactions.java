package dev.runnel.service.store;

import dev.runnel.database.Database;
import dev.runnel.database.Rows;
import dev.runnel.service.run.IdempotencyKey;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/// Changes runs, one transaction at a time, also on several nodes: an embedded database has one
/// writer, and on a server each change takes a lock first. Thread-safe.
///
/// Every visible change sets `updated_at` to a value greater than that of any run before, so that a
/// client that polls for changes since its last response misses nothing. The position in the queue
/// does not count as a change; it is computed on read.
public final class RunTransactions {
  /// The name of the lock that admits one transaction at a time.
  static final String WRITER = "runnel runs ";

  /// A change within a transaction, with the time of the change.
  interface Change<T> {
    T make(RunTable runs, Instant at) throws SQLException;
  }

  private final Database database;
  private final InstantSource clock;

  /// Callers wait here, not each with a connection in the queue of the database's lock.
  private final ReentrantLock oneAtATime = new ReentrantLock(true);

  public RunTransactions(Database database, InstantSource clock) {
    this.database = database;
    this.clock = clock;
  }

  /// Reads rows outside of the turn of changes.
  <T> T read(Database.Step<T> query) {
    return database.read(query);
  }

  /// Writes rows that are no visible change of a run, so they need no turn among the changes.
  <T> T writeAside(Database.Step<T> work) {
    return database.write(work);
  }

  Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MICROS);
  }

  <T> T change(Change<T> change) {
    oneAtATime.lock();
    try {
      return database.write(
          (Rows rows) -> {
            rows.alone(WRITER);
            var runs = new RunTable(rows);
            var now = now();
            var newest = runs.newestChange().map(last -> last.plus(1, ChronoUnit.MICROS));
            return change.make(runs, newest.filter(now::isBefore).orElse(now));
          });
    } finally {
      oneAtATime.unlock();
    }
  }

  /// Makes a change once for each key; later calls get the first answer again.
  String once(String operation, Optional<IdempotencyKey> key, Change<String> change) {
    return change(
        (runs, at) -> {
          if (key.isEmpty()) {
            return change.make(runs, at);
          }
          var given = runs.answer(operation, key.get());
          if (given.isPresent()) {
            return given.get();
          }
          var answer = change.make(runs, at);
          runs.keepAnswer(operation, key.get(), answer, at);
          return answer;
        });
  }
}
