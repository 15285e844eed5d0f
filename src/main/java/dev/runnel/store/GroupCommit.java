package dev.runnel.store;

import dev.runnel.core.model.Delivery;
import dev.runnel.database.DatabaseException;
import dev.runnel.threads.SupervisedThread;
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
import org.jspecify.annotations.Nullable;

/// Group commit: one thread commits all queued deliveries in one transaction, and each sender gets
/// its response after the transaction that contains its delivery. A transaction that fails is split
/// in half and retried, so that a delivery that cannot be stored fails alone. A delivery is dropped
/// as soon as nobody waits for it. Thread-safe.
final class GroupCommit implements AutoCloseable {
  /// Slack waits for three seconds. A sender that gets an error in time resends; what was committed
  /// meanwhile is then recognized.
  static final Duration TIMEOUT = Duration.ofMillis(1_800);

  /// Maximum queue length; beyond it senders are refused at once rather than answered too late.
  private static final int MAX_WAITING = 20_000;

  private static final int MAX_BATCH = 500;

  /// How soon an idle writer notices that it is closed.
  private static final Duration POLL_TIMEOUT = Duration.ofMillis(100);

  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  /// Nodes that store the same deliveries concurrently lock rows in the same order, because a
  /// deadlock delays each of them by the server's detection time, a second or more. A conversation
  /// keeps its order of arrival.
  private static final Comparator<Delivery> LOCKING_ORDER =
      Comparator.comparing(delivery -> delivery.conversation().id());

  /// The precision of the timeout.
  private static final Duration TIMER_INTERVAL = Duration.ofMillis(50);

  /// A delivery that waits. It is held until it is taken, by the writer or because it is late.
  private static final class Offer {
    private final CompletableFuture<Boolean> isNew = new CompletableFuture<>();
    private final Runnable released;
    private final long until;
    private @Nullable Delivery delivery;

    Offer(Delivery delivery, Runnable released, long until) {
      this.delivery = delivery;
      this.released = released;
      this.until = until;
    }

    /// @return null if it was taken before
    synchronized @Nullable Delivery take() {
      var taken = delivery;
      delivery = null;
      return taken;
    }

    /// Whoever took the delivery has to release it.
    void drop() {
      if (take() != null) {
        released.run();
      }
    }
  }

  /// A delivery that the writer has taken.
  private record Taken(Offer offer, Delivery delivery) {}

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
    this.writer = SupervisedThread.daemon("group-commit", this::run, _ -> refuseWaiting());
    this.timer =
        SupervisedThread.daemon(
            "group-commit-timer",
            this::failTimedOut,
            failure -> {
              if (failure.isPresent()) {
                // Without it a sender could wait for ever.
                refuseWaiting();
              }
            });
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

  CompletableFuture<Boolean> acceptLater(Delivery delivery) {
    return acceptLater(delivery, () -> {});
  }

  /// Does not wait. The future completes when the delivery is durable, or exceptionally if it is
  /// not, or not in time. Dependent stages must not block.
  ///
  /// @param released called once when the delivery is not held any more
  CompletableFuture<Boolean> acceptLater(Delivery delivery, Runnable released) {
    var offer = new Offer(delivery, released, System.nanoTime() + timeout.toNanos());
    if (closed || !waiting.offer(offer)) {
      offer.drop();
      return CompletableFuture.failedFuture(
          new IllegalStateException("No more deliveries are accepted right now"));
    }
    incomplete.add(offer);
    if (closed) {
      // The writer may have ended in between.
      refuse(offer);
    }
    return offer.isNew;
  }

  /// The writer skips deliveries that timed out.
  private void failTimedOut() throws InterruptedException {
    while (!closed) {
      var first = incomplete.take();
      while (!first.isNew.isDone() && first.until - System.nanoTime() > 0) {
        Thread.sleep(TIMER_INTERVAL);
      }
      if (!first.isNew.isDone()) {
        first.drop();
        first.isNew.completeExceptionally(
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
  }

  private void run() throws InterruptedException {
    var batch = new ArrayList<Offer>();
    while (!closed) {
      batch.clear();
      var first = waiting.poll(POLL_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
      if (first != null) {
        batch.add(first);
        waiting.drainTo(batch, MAX_BATCH - 1);
        commit(batch);
      }
    }
  }

  private void commit(List<Offer> batch) {
    var taken = new ArrayList<Taken>(batch.size());
    for (var offer : batch) {
      var delivery = offer.take();
      if (delivery != null) {
        taken.add(new Taken(offer, delivery));
      }
    }
    try {
      taken.sort(Comparator.comparing(Taken::delivery, LOCKING_ORDER));
      commitAll(taken);
    } finally {
      taken.forEach(each -> each.offer().released.run());
    }
  }

  /// Whoever waits gets an answer, however the writer or the timer ends.
  private void refuseWaiting() {
    closed = true;
    var refused = new ArrayList<Offer>();
    waiting.drainTo(refused);
    refused.addAll(incomplete);
    refused.forEach(GroupCommit::refuse);
  }

  private static void refuse(Offer offer) {
    offer.drop();
    offer.isNew.completeExceptionally(new IllegalStateException("Runnel is shutting down"));
  }

  private void commitAll(List<Taken> batch) {
    if (batch.isEmpty()) {
      return;
    }
    try {
      var isNew = commit.apply(batch.stream().map(Taken::delivery).toList());
      var offers = batch.stream().map(Taken::offer).toList();
      Runnable complete =
          () -> {
            for (int i = 0; i < offers.size(); i++) {
              offers.get(i).isNew.complete(isNew.get(i));
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
        batch.forEach(taken -> taken.offer().isNew.completeExceptionally(e));
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
