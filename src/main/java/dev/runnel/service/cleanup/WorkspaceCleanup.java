package dev.runnel.service.cleanup;

import dev.runnel.service.run.limit.Limits;
import dev.runnel.service.store.RunQueries;
import dev.runnel.service.workspace.Snapshots;
import dev.runnel.service.workspace.Workspaces;
import dev.runnel.threads.SupervisedThread;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Deletes workspaces that are old or exceed the total size, after every execution and
/// periodically.
public final class WorkspaceCleanup implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(WorkspaceCleanup.class);
  private static final Duration INTERVAL = Duration.ofMinutes(10);
  // The minimum pause after a round, as a multiple of the round's duration.
  private static final int PAUSE_FACTOR = 20;
  // An interrupted deletion is continued at the next start.
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private final Workspaces workspaces;
  private final Optional<Snapshots> snapshots;
  private final RunQueries queries;
  private final Limits limits;
  private final InstantSource clock;
  private final Semaphore wake = new Semaphore(0);
  private final Thread worker;
  private final CountDownLatch closed = new CountDownLatch(1);

  private WorkspaceCleanup(
      Workspaces workspaces,
      Optional<Snapshots> snapshots,
      RunQueries queries,
      Limits limits,
      InstantSource clock) {
    this.workspaces = workspaces;
    this.snapshots = snapshots;
    this.queries = queries;
    this.limits = limits;
    this.clock = clock;
    this.worker =
        SupervisedThread.unstarted(
            "workspace-cleanup",
            SupervisedThread.repeating(
                "workspace-cleanup", this::work, INTERVAL, () -> closed.getCount() > 0));
  }

  public static WorkspaceCleanup start(
      Workspaces workspaces,
      Optional<Snapshots> snapshots,
      RunQueries queries,
      Limits limits,
      InstantSource clock) {
    var workspaceCleanup = new WorkspaceCleanup(workspaces, snapshots, queries, limits, clock);
    workspaceCleanup.worker.start();
    return workspaceCleanup;
  }

  /// Starts a round, after an execution has ended.
  public void wake() {
    wake.release();
  }

  @Override
  public void close() {
    closed.countDown();
    wake.release();
    try {
      worker.join(CLOSE_TIMEOUT);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void work() throws InterruptedException {
    try {
      workspaces.deleteUnusedClones();
    } catch (IOException e) {
      log.warn("cannot delete unused clones", e);
    }
    while (closed.getCount() > 0) {
      var start = System.nanoTime();
      clean();
      // With many workspaces, checking all of them after each execution would dominate the work
      // of this machine.
      if (closed.await(PAUSE_FACTOR * (System.nanoTime() - start), TimeUnit.NANOSECONDS)) {
        return;
      }
      if (wake.tryAcquire(INTERVAL.toSeconds(), TimeUnit.SECONDS)) {
        wake.drainPermits();
      }
    }
  }

  private void clean() {
    try {
      var now = clock.instant();
      workspaces.clean(now, limits.keep(), limits.keepBytes(), this::isNeeded);
      if (snapshots.isPresent()) {
        snapshots.get().deleteBefore(now.minus(limits.keep()), now);
      }
    } catch (IOException | RuntimeException e) {
      log.warn("cannot clean up workspaces, will retry", e);
    }
  }

  private boolean isNeeded(String runId) {
    return queries.find(runId).filter(run -> run.needsWorkspace(clock.instant())).isPresent();
  }
}
