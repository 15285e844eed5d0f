package dev.runnel.store;

import dev.runnel.core.model.Delivery;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/// Group commit: one thread commits all deliveries that wait, in one transaction, and each
/// sender is
/// answered after the transaction that holds its own. One flush serves many.
final class Acceptance implements AutoCloseable {
  /// Beyond this senders are refused at once rather than answered too late.
  private static final int MOST_WAITING = 20_000;

  private static final int MOST_TOGETHER = 500;

  private record Offer(Delivery delivery, CompletableFuture<Boolean> isNew) {}

  private final BlockingQueue<Offer> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
  private final Function<List<Delivery>, List<Boolean>> commit;
  private final Thread writer;
  private volatile boolean closed;

  /// @param commit keeps all in one transaction and says which were new
  Acceptance(Function<List<Delivery>, List<Boolean>> commit) {
    this.commit = commit;
    this.writer = Thread.ofPlatform().name("acceptance").daemon().start(this::run);
  }

  /// Returns when the delivery is durable.
  boolean accept(Delivery delivery) {
    var offer = new Offer(delivery, new CompletableFuture<>());
    if (closed || !waiting.offer(offer)) {
      throw new IllegalStateException("No more deliveries are taken just now");
    }
    try {
      return offer.isNew().join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  private void run() {
    var together = new ArrayList<Offer>();
    try {
      while (true) {
        together.clear();
        together.add(waiting.take());
        waiting.drainTo(together, MOST_TOGETHER - 1);
        commitAll(together);
      }
    } catch (InterruptedException closing) {
      var refused = new IllegalStateException("Runnel is shutting down");
      together.clear();
      waiting.drainTo(together);
      together.forEach(offer -> offer.isNew().completeExceptionally(refused));
    }
  }

  private void commitAll(List<Offer> together) {
    try {
      var isNew = commit.apply(together.stream().map(Offer::delivery).toList());
      for (int i = 0; i < together.size(); i++) {
        together.get(i).isNew().complete(isNew.get(i));
      }
    } catch (RuntimeException | Error e) {
      // The writer lives on also after an error, else every sender would wait for ever.
      together.forEach(offer -> offer.isNew().completeExceptionally(e));
    }
  }

  @Override
  public void close() {
    closed = true;
    writer.interrupt();
  }
}
