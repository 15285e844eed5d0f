package dev.runnel.service.execution;

import dev.runnel.service.run.ExecutionState;
import dev.runnel.service.store.NodeMembership;
import dev.runnel.service.store.QueueSignal;
import dev.runnel.service.store.RunQueries;
import dev.runnel.service.store.RunTable;
import dev.runnel.service.store.RunWatchers;
import dev.runnel.threads.SupervisedThread;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Polls the database for changes by other nodes, and notifies watchers of runs, the queue, and
/// executions that must be cancelled. Each poll reads the changes since the last one. Their times
/// increase in the order of the commits, so none is missed.
final class ChangeFeed implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ChangeFeed.class);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(200);

  /// Transcript lines are not changes of a run. So watchers of runs are notified on every fifth
  /// poll, in case there are new lines.
  private static final int POLLS_PER_TRANSCRIPT_CHANGE = 5;

  private final RunQueries queries;
  private final RunWatchers watchers;
  private final QueueSignal queueSignal;
  private final Consumer<String> cancel;
  private final CountDownLatch closed = new CountDownLatch(1);
  private Instant lastChange;

  private ChangeFeed(
      RunQueries queries, RunWatchers watchers, QueueSignal queueSignal, Consumer<String> cancel) {
    this.queries = queries;
    this.watchers = watchers;
    this.queueSignal = queueSignal;
    this.cancel = cancel;
    this.lastChange = queries.newestChange();
  }

  /// @param cancel receives the ids of runs whose cancellation was requested; most are not
  ///   executing on this node
  static ChangeFeed start(
      NodeMembership membership,
      RunQueries queries,
      RunWatchers watchers,
      QueueSignal queueSignal,
      Consumer<String> cancel) {
    var feed = new ChangeFeed(queries, watchers, queueSignal, cancel);
    if (!membership.isAlone()) {
      SupervisedThread.virtuals("change-feed").newThread(feed::work).start();
    }
    return feed;
  }

  @Override
  public void close() {
    closed.countDown();
  }

  private void work() {
    try {
      for (int round = 1; !closed.await(POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS); round++) {
        try {
          queries.changedSince(lastChange).forEach(this::publish);
          if (round % POLLS_PER_TRANSCRIPT_CHANGE == 0) {
            watchers.watched().forEach(watchers::changed);
          }
        } catch (Throwable e) {
          log.warn("cannot read changes, will retry error={}", e.toString());
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void publish(RunTable.Changed changed) {
    lastChange = changed.at();
    watchers.changed(changed.runId());
    if (changed.isCancelRequested() && changed.state() == ExecutionState.INPROGRESS) {
      cancel.accept(changed.runId());
    } else if (changed.state() != ExecutionState.INPROGRESS) {
      // The run is queued, or has freed a slot.
      queueSignal.signal();
    }
  }
}
