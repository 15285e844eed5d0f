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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
  static final Duration PATIENCE = Duration.ofSeconds(2);

  /// Maximum queue length; beyond it senders are refused at once rather than answered too late.
  private static final int MAX_WAITING = 20_000;

  private static final int MAX_TOGETHER = 500;

  /// How soon an idle writer notices that it is closed.
  private static final Duration LOOK_UP = Duration.ofMillis(100);

  private static final Duration LAST_COMMIT = Duration.ofSeconds(5);

  /// Nodes that store the same deliveries concurrently lock rows in the same order, because a
  /// deadlock delays each of them by the server's detection time, a second or more. A conversation
  /// keeps its order of arrival.
  private static final Comparator<Offer> LOCKING_ORDER =
      Comparator.comparing(offer -> offer.delivery().conversation().id());

  private record Offer(Delivery delivery, CompletableFuture<Boolean> isNew) {}

  private final BlockingQueue<Offer> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
  private final Function<List<Delivery>, List<Boolean>> commit;
  private final Duration patience;
  private final Thread writer;
  private volatile boolean closed;

  /// @param commit stores all deliveries in one transaction and returns which were new
  GroupCommit(Function<List<Delivery>, List<Boolean>> commit) {
    this(commit, PATIENCE);
  }

  /// @param patience maximum time that a sender waits
  GroupCommit(Function<List<Delivery>, List<Boolean>> commit, Duration patience) {
    this.commit = commit;
    this.patience = patience;
    this.writer = Thread.ofPlatform().name("acceptance").daemon().start(this::run);
  }

  /// Returns when the delivery is durable; throws if it is not, or not in time.
  boolean accept(Delivery delivery) {
    var offer = new Offer(delivery, new CompletableFuture<>());
    if (closed || !waiting.offer(offer)) {
      throw new IllegalStateException("No more deliveries are taken just now");
    }
    var isNew = offer.isNew();
    try {
      return isNew.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      // The writer skips a delivery whose sender got this error.
      if (isNew.completeExceptionally(e)) {
        throw new DatabaseException(
            "The database did not take the delivery in %s ms".formatted(patience.toMillis()), null);
      }
      return isNew.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("The request was broken off", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException("The delivery was not kept", e.getCause());
    }
  }

  private void run() {
    var together = new ArrayList<Offer>();
    try {
      while (!closed) {
        together.clear();
        var first = waiting.poll(LOOK_UP.toMillis(), TimeUnit.MILLISECONDS);
        if (first != null) {
          together.add(first);
          waiting.drainTo(together, MAX_TOGETHER - 1);
          together.removeIf(offer -> offer.isNew().isDone());
          together.sort(LOCKING_ORDER);
          commitAll(together);
        }
      }
    } catch (InterruptedException hurried) {
      log.warn("writer interrupted, refusing queued deliveries");
    }
    var refused = new IllegalStateException("Runnel is shutting down");
    together.clear();
    waiting.drainTo(together);
    together.forEach(offer -> offer.isNew().completeExceptionally(refused));
  }

  private void commitAll(List<Offer> together) {
    if (together.isEmpty()) {
      return;
    }
    try {
      var isNew = commit.apply(together.stream().map(Offer::delivery).toList());
      for (int i = 0; i < together.size(); i++) {
        together.get(i).isNew().complete(isNew.get(i));
      }
    } catch (RuntimeException | Error e) {
      // The writer must survive errors, else every sender would wait forever.
      if (together.size() == 1 || (e instanceof DatabaseException gone && gone.isUnreachable())) {
        together.forEach(offer -> offer.isNew().completeExceptionally(e));
      } else {
        int half = together.size() / 2;
        commitAll(together.subList(0, half));
        commitAll(together.subList(half, together.size()));
      }
    }
  }

  /// Waits for the running commit to finish.
  @Override
  public void close() {
    closed = true;
    try {
      writer.join(LAST_COMMIT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    writer.interrupt();
  }
}
