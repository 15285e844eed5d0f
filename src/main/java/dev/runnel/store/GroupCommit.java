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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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

  /// How late a sender may learn that its patience has ended.
  private static final Duration LATE = Duration.ofMillis(50);

  private record Offer(Delivery delivery, CompletableFuture<Boolean> isNew, long until) {}

  private final BlockingQueue<Offer> waiting = new ArrayBlockingQueue<>(MAX_WAITING);

  /// In order of arrival; those with an answer are removed late.
  private final BlockingQueue<Offer> unanswered = new LinkedBlockingQueue<>();

  private final Function<List<Delivery>, List<Boolean>> commit;
  private final Duration patience;
  private final Thread writer;
  private final Thread timer;

  /// Gives the answers, so that the writer can go on with the next transaction.
  private final ExecutorService answers =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().name("answers").daemon().factory());

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
    this.timer = Thread.ofPlatform().name("patience").daemon().start(this::refuseLate);
  }

  /// Returns when the delivery is durable; throws if it is not, or not in time.
  boolean accept(Delivery delivery) {
    try {
      return acceptLater(delivery).get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("The request was broken off", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException("The delivery was not kept", e.getCause());
    }
  }

  /// Does not wait. The result is there when the delivery is durable; it is an exception if it is
  /// not, or not in time. What depends on it must not wait.
  CompletableFuture<Boolean> acceptLater(Delivery delivery) {
    var offer =
        new Offer(delivery, new CompletableFuture<>(), System.nanoTime() + patience.toNanos());
    if (closed || !waiting.offer(offer)) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("No more deliveries are taken just now"));
    }
    unanswered.add(offer);
    return offer.isNew();
  }

  /// The writer skips a delivery whose sender got this error.
  private void refuseLate() {
    try {
      while (!closed) {
        var first = unanswered.take();
        while (!first.isNew().isDone() && first.until() - System.nanoTime() > 0) {
          Thread.sleep(LATE);
        }
        if (!first.isNew().isDone()) {
          first
              .isNew()
              .completeExceptionally(
                  new DatabaseException(
                      "The database did not take the delivery in %s ms"
                          .formatted(patience.toMillis()),
                      null));
        }
        if (unanswered.isEmpty()) {
          // Not woken for each of the next ones, of which nearly all get their answer in time.
          Thread.sleep(LATE);
        }
      }
    } catch (InterruptedException closing) {
      // The writer refuses what is left.
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
      // A copy, because the writer uses the list again.
      var offers = List.copyOf(together);
      answers.execute(
          () -> {
            for (int i = 0; i < offers.size(); i++) {
              offers.get(i).isNew().complete(isNew.get(i));
            }
          });
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
    timer.interrupt();
    answers.shutdown();
    try {
      var _ = answers.awaitTermination(LAST_COMMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
