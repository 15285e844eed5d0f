package dev.runnel.service.execution;

import dev.runnel.service.run.ExecutionState;
import dev.runnel.service.store.NodeMembership;
import dev.runnel.service.store.QueueSignal;
import dev.runnel.service.store.RunQueries;
import dev.runnel.service.store.RunTable;
import dev.runnel.service.store.RunWatchers;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Learns what other nodes changed, and tells it here: watchers of runs, the queue, and executions
/// that are to be cancelled. It asks for changes after the last one that it saw. Changes have
/// increasing times, in the order of their commits, so none is missed.
final class ChangeFeed implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ChangeFeed.class);
  private static final Duration PAUSE = Duration.ofMillis(200);

  /// Lines of transcripts are no changes: whoever watches a run is told every so many pauses.
  private static final int TRANSCRIPTS = 5;

  private final RunQueries index;
  private final RunWatchers watchers;
  private final QueueSignal queueSignal;
  private final Consumer<String> cancel;
  private final CountDownLatch closed = new CountDownLatch(1);
  private Instant seen;

  private ChangeFeed(
      RunQueries index, RunWatchers watchers, QueueSignal queueSignal, Consumer<String> cancel) {
    this.index = index;
    this.watchers = watchers;
    this.queueSignal = queueSignal;
    this.cancel = cancel;
    this.seen = index.newestChange();
  }

  /// @param cancel is told runs whose cancellation was asked for; most have no execution here
  static ChangeFeed start(
      NodeMembership membership,
      RunQueries index,
      RunWatchers watchers,
      QueueSignal queueSignal,
      Consumer<String> cancel) {
    var feed = new ChangeFeed(index, watchers, queueSignal, cancel);
    if (!membership.isAlone()) {
      Thread.ofVirtual().name("change-feed").start(feed::work);
    }
    return feed;
  }

  @Override
  public void close() {
    closed.countDown();
  }

  private void work() {
    try {
      for (int round = 1; !closed.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS); round++) {
        try {
          index.changedSince(seen).forEach(this::tell);
          if (round % TRANSCRIPTS == 0) {
            watchers.watched().forEach(watchers::changed);
          }
        } catch (RuntimeException | OutOfMemoryError e) {
          log.warn("cannot read changes, will retry error={}", e.toString());
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void tell(RunTable.Changed changed) {
    seen = changed.at();
    watchers.changed(changed.runId());
    if (changed.cancelAsked() && changed.state() == ExecutionState.INPROGRESS) {
      cancel.accept(changed.runId());
    } else if (changed.state() != ExecutionState.INPROGRESS) {
      // It waits, or it has freed a slot.
      queueSignal.tell();
    }
  }
}
