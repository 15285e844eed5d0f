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

/// Changes runs in serialized transactions, also across nodes: an embedded database has one writer,
/// and on a server each change first takes a lock. Thread-safe.
///
/// Every visible change sets `updated_at` to a value greater than that of any run before, so that a
/// client that polls for changes since its last response misses nothing. The position in the queue
/// does not count as a change; it is computed on read.
public final class RunTransactions {
  /// The name of the lock that serializes transactions.
  static final String CHANGE_LOCK = "runnel runs ";

  /// A change within a transaction, with the time of the change.
  interface Change<T> {
    T make(RunTable runs, Instant at) throws SQLException;
  }

  private final Database database;
  private final InstantSource clock;

  /// Callers wait here instead of each occupying a connection while it waits for the database's
  /// lock.
  private final ReentrantLock changeLock = new ReentrantLock(true);

  /// Creations of runs wait in a line of their own, so that a run that works or is stopped waits
  /// for one of them at most.
  private final ReentrantLock creationLock = new ReentrantLock(true);

  public RunTransactions(Database database, InstantSource clock) {
    this.database = database;
    this.clock = clock;
  }

  /// Reads rows without waiting for changes.
  <T> T read(Database.Step<T> query) {
    return database.read(query);
  }

  /// Writes rows without waiting for changes, because they are not a visible change of a run.
  <T> T writeConcurrently(Database.Step<T> work) {
    return database.write(work);
  }

  Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MICROS);
  }

  <T> T change(Change<T> change) {
    changeLock.lock();
    try {
      return database.write(
          (Rows rows) -> {
            rows.lock(CHANGE_LOCK);
            var runs = new RunTable(rows);
            var now = now();
            var newest = runs.newestChange().map(last -> last.plus(1, ChronoUnit.MICROS));
            return change.make(runs, newest.filter(now::isBefore).orElse(now));
          });
    } finally {
      changeLock.unlock();
    }
  }

  /// Creates a run, once for each key, after the changes of other runs.
  String create(String operation, Optional<IdempotencyKey> key, Change<String> creation) {
    creationLock.lock();
    try {
      return once(operation, key, creation);
    } finally {
      creationLock.unlock();
    }
  }

  /// Makes a change once for each key. Later calls with the key return the first response.
  String once(String operation, Optional<IdempotencyKey> key, Change<String> change) {
    return change(
        (runs, at) -> {
          if (key.isEmpty()) {
            return change.make(runs, at);
          }
          var stored = runs.responses().find(operation, key.get(), at);
          if (stored.isPresent()) {
            return stored.get();
          }
          var response = change.make(runs, at);
          runs.responses().add(operation, key.get(), response, at);
          return response;
        });
  }
}
