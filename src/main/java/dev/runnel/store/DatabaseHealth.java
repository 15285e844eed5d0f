package dev.runnel.store;

import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.database.DatabaseException;
import dev.runnel.threads.SupervisedThread;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The database's health, for external checks. Callers get a response within a second, even if the
/// database does not respond; only one query of each kind is in progress at a time.
///
/// A successful read does not prove health, because a full disk can still be read. So after a
/// failed change, and periodically, a row is written.
public final class DatabaseHealth {
  private static final Duration TIMEOUT = Duration.ofSeconds(1);
  private static final Duration PROBE_INTERVAL = Duration.ofSeconds(15);
  private static final String SLOW = "The database is slow: it has not answered for %d s.";
  private static final String UP = "runnel_store_up";

  private final SqlStore store;
  private final InstantSource clock;
  private final String id = UUID.randomUUID().toString();
  private final SharedQuery<Optional<String>> problem = new SharedQuery<>();
  private final SharedQuery<Map<String, Long>> gauges = new SharedQuery<>();
  private final SharedQuery<Set<SurfaceId>> held = new SharedQuery<>();
  private volatile @Nullable Instant lastProbe;

  public DatabaseHealth(SqlStore store, InstantSource clock) {
    this.store = store;
    this.clock = clock;
  }

  /// The current problem with the database, in a sentence; empty if there is none.
  public Optional<String> problem() {
    try {
      return problem.run(this::probe);
    } catch (TimeoutException slow) {
      return Optional.of(SLOW.formatted(problem.age().toSeconds()));
    }
  }

  private Optional<String> probe() {
    try {
      store.isReady();
      var last = lastProbe;
      if (store.lastFailure().isPresent()
          || last == null
          || !clock.instant().isBefore(last.plus(PROBE_INTERVAL))) {
        lastProbe = clock.instant();
        store.probe(id);
      }
      return Optional.empty();
    } catch (DatabaseException e) {
      return Optional.of(e.problem());
    }
  }

  /// Gauges by their Prometheus names; only `runnel_store_up` if the database is unavailable.
  public Map<String, Long> gauges() {
    var all = new TreeMap<String, Long>();
    try {
      all.putAll(gauges.run(store::gauges));
      all.put(UP, store.lastFailure().isEmpty() ? 1L : 0L);
    } catch (TimeoutException | DatabaseException gone) {
      all.put(UP, 0L);
    }
    return all;
  }

  /// The surfaces whose platform does not accept our credential.
  ///
  /// @throws DatabaseException if the database is unavailable
  public Set<SurfaceId> held() {
    try {
      return held.run(() -> store.holds().keySet());
    } catch (TimeoutException slow) {
      throw new DatabaseException("The database could not be queried", slow);
    }
  }

  /// A query that is run once for all concurrent callers.
  private static final class SharedQuery<T> {
    private record InProgress<T>(CompletableFuture<T> result, long startNanos) {}

    private final AtomicReference<@Nullable InProgress<T>> current = new AtomicReference<>();

    T run(Supplier<T> query) throws TimeoutException {
      var mine = new InProgress<>(new CompletableFuture<T>(), System.nanoTime());
      var others = current.compareAndExchange(null, mine);
      if (others == null) {
        SupervisedThread.virtual(
            "database-health", () -> complete(mine, query), _ -> current.set(null));
      }
      return await(others == null ? mine.result() : others.result());
    }

    private void complete(InProgress<T> mine, Supplier<T> query) {
      try {
        mine.result().complete(query.get());
      } catch (RuntimeException | Error e) {
        mine.result().completeExceptionally(e);
      }
    }

    private T await(CompletableFuture<T> result) throws TimeoutException {
      try {
        return result.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
      } catch (ExecutionException e) {
        throw e.getCause() instanceof DatabaseException gone
            ? gone
            : new DatabaseException("The database could not be queried", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new DatabaseException("The database could not be queried", e);
      }
    }

    Duration age() {
      var running = current.get();
      return running == null
          ? Duration.ZERO
          : Duration.ofNanos(System.nanoTime() - running.startNanos());
    }
  }
}
