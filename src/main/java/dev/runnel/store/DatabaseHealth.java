package dev.runnel.store;

import dev.runnel.database.DatabaseException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The database's health, for external checks. Callers get a response within a second, even when
/// the database gives none; only one query of a kind is in progress at a time.
///
/// Reading does not prove health, because a full disk can still be read. So after a failed change,
/// and periodically, something is written.
public final class DatabaseHealth {
  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final Duration PROBES = Duration.ofSeconds(15);
  private static final String SLOW = "The database is slow: it has not answered for %d s.";
  private static final String UP = "runnel_store_up";

  private final SqlStore store;
  private final InstantSource clock;
  private final String id = UUID.randomUUID().toString();
  private final Question<Optional<String>> problem = new Question<>();
  private final Question<Map<String, Long>> gauges = new Question<>();
  private volatile @Nullable Instant lastProbe;

  public DatabaseHealth(SqlStore store, InstantSource clock) {
    this.store = store;
    this.clock = clock;
  }

  /// The current problem with the database, in a sentence; empty if there is none.
  public Optional<String> problem() {
    try {
      return problem.ask(this::probe);
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
          || !clock.instant().isBefore(last.plus(PROBES))) {
        lastProbe = clock.instant();
        store.probe(id);
      }
      return Optional.empty();
    } catch (DatabaseException e) {
      return Optional.of(e.inWords());
    }
  }

  /// Gauges by their Prometheus names; only `runnel_store_up` if the database is unavailable.
  public Map<String, Long> gauges() {
    var all = new TreeMap<String, Long>();
    try {
      all.putAll(gauges.ask(store::gauges));
      all.put(UP, store.lastFailure().isEmpty() ? 1L : 0L);
    } catch (TimeoutException | DatabaseException gone) {
      all.put(UP, 0L);
    }
    return all;
  }

  /// A query that is run once for all concurrent callers.
  private static final class Question<T> {
    private record Asked<T>(CompletableFuture<T> answer, long nanos) {}

    private final AtomicReference<@Nullable Asked<T>> underWay = new AtomicReference<>();

    T ask(Supplier<T> question) throws TimeoutException {
      var mine = new Asked<>(new CompletableFuture<T>(), System.nanoTime());
      var others = underWay.compareAndExchange(null, mine);
      if (others == null) {
        Thread.ofVirtual().name("pulse").start(() -> answer(mine, question));
      }
      return await(others == null ? mine.answer() : others.answer());
    }

    private void answer(Asked<T> asked, Supplier<T> question) {
      try {
        asked.answer().complete(question.get());
      } catch (RuntimeException | Error e) {
        asked.answer().completeExceptionally(e);
      } finally {
        underWay.set(null);
      }
    }

    private T await(CompletableFuture<T> answer) throws TimeoutException {
      try {
        return answer.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      } catch (ExecutionException e) {
        throw e.getCause() instanceof DatabaseException gone
            ? gone
            : new DatabaseException("The database could not be asked", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new DatabaseException("The database could not be asked", e);
      }
    }

    Duration age() {
      var asked = underWay.get();
      return asked == null ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - asked.nanos());
    }
  }
}
