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

/// Group commit: one thread commits all deliveries that wait, in one transaction, and each sender
/// is answered after the transaction that holds its own. One flush serves many. A transaction that
/// fails is halved and tried again, so that a delivery that cannot be kept fails alone.
final class GroupCommit implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(GroupCommit.class);

  /// Slack waits for three seconds. Who was told no in time sends again; what was committed
  /// meanwhile is then known.
  static final Duration PATIENCE = Duration.ofSeconds(2);

  /// Beyond this senders are refused at once rather than answered too late.
  private static final int MAX_WAITING = 20_000;

  private static final int MAX_TOGETHER = 500;
  /// How soon an idle writer sees that it is closed.
  private static final Duration LOOK_UP = Duration.ofMillis(100);

  private static final Duration LAST_COMMIT = Duration.ofSeconds(5);

  /// Nodes that store the same deliveries at once lock rows in the same order: a deadlock costs
  /// each of them the server's wait, a second and more. A conversation keeps its order of arrival.
  private static final Comparator<Offer> LOCKING_ORDER =
      Comparator.comparing(offer -> offer.delivery().conversation().id());

  private record Offer(Delivery delivery, CompletableFuture<Boolean> isNew) {}

  private final BlockingQueue<Offer> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
  private final Function<List<Delivery>, List<Boolean>> commit;
  private final Duration patience;
  private final Thread writer;
  private volatile boolean closed;

  /// @param commit keeps all in one transaction and says which were new
  GroupCommit(Function<List<Delivery>, List<Boolean>> commit) {
    this(commit, PATIENCE);
  }

  /// @param patience how long a sender waits at most
  GroupCommit(Function<List<Delivery>, List<Boolean>> commit, Duration patience) {
    this.commit = commit;
    this.patience = patience;
    this.writer = Thread.ofPlatform().name("acceptance").daemon().start(this::run);
  }

  /// Returns when the delivery is durable; throws when it is not, or not in time.
  boolean accept(Delivery delivery) {
    var offer = new Offer(delivery, new CompletableFuture<>());
    if (closed || !waiting.offer(offer)) {
      throw new IllegalStateException("No more deliveries are taken just now");
    }
    var isNew = offer.isNew();
    try {
      return isNew.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      // The writer leaves out whoever has been told so.
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
      log.warn("the last deliveries were not waited for");
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
      // The writer lives on also after an error, else every sender would wait for ever.
      if (together.size() == 1 || (e instanceof DatabaseException gone && gone.isUnreachable())) {
        together.forEach(offer -> offer.isNew().completeExceptionally(e));
      } else {
        int half = together.size() / 2;
        commitAll(together.subList(0, half));
        commitAll(together.subList(half, together.size()));
      }
    }
  }

  /// Finishes the commit under way.
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
