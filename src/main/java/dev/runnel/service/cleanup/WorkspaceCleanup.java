package dev.runnel.service.cleanup;

import dev.runnel.service.run.ExecutionState;
import dev.runnel.service.run.limit.Limits;
import dev.runnel.service.store.RunQueries;
import dev.runnel.service.workspace.Snapshots;
import dev.runnel.service.workspace.Workspaces;
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
  private static final Duration ROUND = Duration.ofMinutes(10);
  // The pause after a round, as a multiple of the round's duration.
  private static final int REST = 20;
  // An interrupted deletion is continued at the next start.
  private static final Duration LAST_WORDS = Duration.ofSeconds(5);

  private final Workspaces workspaces;
  private final Optional<Snapshots> snapshots;
  private final RunQueries index;
  private final Limits limits;
  private final InstantSource clock;
  private final Semaphore wake = new Semaphore(0);
  private final Thread worker;
  private final CountDownLatch closed = new CountDownLatch(1);

  private WorkspaceCleanup(
      Workspaces workspaces,
      Optional<Snapshots> snapshots,
      RunQueries index,
      Limits limits,
      InstantSource clock) {
    this.workspaces = workspaces;
    this.snapshots = snapshots;
    this.index = index;
    this.limits = limits;
    this.clock = clock;
    this.worker = Thread.ofVirtual().name("housekeeping").unstarted(this::work);
  }

  public static WorkspaceCleanup start(
      Workspaces workspaces,
      Optional<Snapshots> snapshots,
      RunQueries index,
      Limits limits,
      InstantSource clock) {
    var workspaceCleanup = new WorkspaceCleanup(workspaces, snapshots, index, limits, clock);
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
      worker.join(LAST_WORDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void work() {
    try {
      workspaces.forgetOtherRepositories();
    } catch (IOException e) {
      log.warn("cannot delete unused clones", e);
    }
    try {
      while (closed.getCount() > 0) {
        var start = System.nanoTime();
        clean();
        // With many workspaces, checking all of them after each execution would dominate the work
        // of this machine.
        if (closed.await(REST * (System.nanoTime() - start), TimeUnit.NANOSECONDS)) {
          return;
        }
        if (wake.tryAcquire(ROUND.toSeconds(), TimeUnit.SECONDS)) {
          wake.drainPermits();
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void clean() {
    try {
      var now = clock.instant();
      workspaces.clean(now, limits.keep(), limits.keepBytes(), this::isNeeded);
      if (snapshots.isPresent()) {
        snapshots.get().deleteBefore(now.minus(limits.keep()), now);
      }
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      log.warn("cannot clean up workspaces, will retry", e);
    }
  }

  private boolean isNeeded(String runId) {
    return index
        .find(runId)
        .map(
            run -> run.phase() == ExecutionState.QUEUED || run.phase() == ExecutionState.INPROGRESS)
        .orElse(false);
  }
}
