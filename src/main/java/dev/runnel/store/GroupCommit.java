package dev.runnel.store;

import dev.runnel.core.model.Delivery;
import dev.runnel.database.DatabaseException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Group commit: one thread commits all queued deliveries in one transaction, and each sender gets
/// its response after the transaction that contains its delivery. A transaction that fails is split
/// in half and retried, so that a delivery that cannot be stored fails alone. Thread-safe.
final class GroupCommit implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(GroupCommit.class);

  /// Slack waits for three seconds. A sender that gets an error in time resends; what was committed
  /// meanwhile is then recognized.
  static final Duration TIMEOUT = Duration.ofSeconds(2);

  /// Maximum queue length; beyond it senders are refused at once rather than answered too late.
  private static final int MAX_WAITING = 20_000;

  private static final int MAX_BATCH = 500;

  /// How soon an idle writer notices that it is closed.
  private static final Duration POLL_TIMEOUT = Duration.ofMillis(100);

  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  /// Nodes that store the same deliveries concurrently lock rows in the same order, because a
  /// deadlock delays each of them by the server's detection time, a second or more. A conversation
  /// keeps its order of arrival.
  private static final Comparator<Offer> LOCKING_ORDER =
      Comparator.comparing(offer -> offer.delivery().conversation().id());

  /// The precision of the timeout.
  private static final Duration TIMER_INTERVAL = Duration.ofMillis(50);

  private record Offer(Delivery delivery, CompletableFuture<Boolean> isNew, long until) {}

  private final BlockingQueue<Offer> waiting = new ArrayBlockingQueue<>(MAX_WAITING);

  /// In order of arrival; completed ones are removed with a delay.
  private final BlockingQueue<Offer> incomplete = new LinkedBlockingQueue<>();

  private final Function<List<Delivery>, List<Boolean>> commit;
  private final Duration timeout;
  private final Thread writer;
  private final Thread timer;

  private final Executor results;
  private volatile boolean closed;

  /// @param commit stores all deliveries in one transaction and returns which were new
  /// @param results completes the futures of a transaction, so that the writer can continue with
  ///   the next one
  GroupCommit(Function<List<Delivery>, List<Boolean>> commit, Executor results) {
    this(commit, results, TIMEOUT);
  }

  /// @param timeout maximum time that a sender waits
  GroupCommit(Function<List<Delivery>, List<Boolean>> commit, Executor results, Duration timeout) {
    this.commit = commit;
    this.results = results;
    this.timeout = timeout;
    this.writer = Thread.ofPlatform().name("group-commit").daemon().start(this::run);
    this.timer = Thread.ofPlatform().name("group-commit-timer").daemon().start(this::failTimedOut);
  }

  /// Returns when the delivery is durable; throws if it is not, or not in time.
  boolean accept(Delivery delivery) {
    try {
      return acceptLater(delivery).get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("The request was interrupted", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException("The delivery was not stored", e.getCause());
    }
  }

  /// Does not wait. The future completes when the delivery is durable, or exceptionally if it is
  /// not, or not in time. Dependent stages must not block.
  CompletableFuture<Boolean> acceptLater(Delivery delivery) {
    var offer =
        new Offer(delivery, new CompletableFuture<>(), System.nanoTime() + timeout.toNanos());
    if (closed || !waiting.offer(offer)) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("No more deliveries are accepted right now"));
    }
    incomplete.add(offer);
    return offer.isNew();
  }

  /// The writer skips deliveries that timed out.
  private void failTimedOut() {
    try {
      while (!closed) {
        var first = incomplete.take();
        while (!first.isNew().isDone() && first.until() - System.nanoTime() > 0) {
          Thread.sleep(TIMER_INTERVAL);
        }
        if (!first.isNew().isDone()) {
          first
              .isNew()
              .completeExceptionally(
                  new DatabaseException(
                      "The database did not store the delivery within %s ms"
                          .formatted(timeout.toMillis()),
                      null));
        }
        if (incomplete.isEmpty()) {
          // Avoids a wake-up for each following delivery, because nearly all are completed in time.
          Thread.sleep(TIMER_INTERVAL);
        }
      }
    } catch (InterruptedException closing) {
      // The writer completes the rest.
    }
  }

  private void run() {
    var batch = new ArrayList<Offer>();
    try {
      while (!closed) {
        batch.clear();
        var first = waiting.poll(POLL_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        if (first != null) {
          batch.add(first);
          waiting.drainTo(batch, MAX_BATCH - 1);
          batch.removeIf(offer -> offer.isNew().isDone());
          batch.sort(LOCKING_ORDER);
          commitAll(batch);
        }
      }
    } catch (InterruptedException closing) {
      log.warn("writer interrupted, refusing queued deliveries");
    }
    var refused = new IllegalStateException("Runnel is shutting down");
    batch.clear();
    waiting.drainTo(batch);
    batch.forEach(offer -> offer.isNew().completeExceptionally(refused));
  }

  private void commitAll(List<Offer> batch) {
    if (batch.isEmpty()) {
      return;
    }
    try {
      var isNew = commit.apply(batch.stream().map(Offer::delivery).toList());
      // A copy, because the writer reuses the list.
      var offers = List.copyOf(batch);
      Runnable complete =
          () -> {
            for (int i = 0; i < offers.size(); i++) {
              offers.get(i).isNew().complete(isNew.get(i));
            }
          };
      // A single sender gets its response sooner than another thread would wake up.
      if (offers.size() == 1) {
        complete.run();
      } else {
        results.execute(complete);
      }
    } catch (RuntimeException | Error e) {
      // The writer must survive errors, else every sender would wait forever.
      if (batch.size() == 1 || (e instanceof DatabaseException gone && gone.isUnreachable())) {
        batch.forEach(offer -> offer.isNew().completeExceptionally(e));
      } else {
        int half = batch.size() / 2;
        commitAll(batch.subList(0, half));
        commitAll(batch.subList(half, batch.size()));
      }
    }
  }

  /// Waits for the running commit to finish.
  @Override
  public void close() {
    closed = true;
    try {
      writer.join(CLOSE_TIMEOUT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    writer.interrupt();
    timer.interrupt();
  }
}
