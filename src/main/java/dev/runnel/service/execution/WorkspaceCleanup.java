package dev.runnel.service.execution;

import dev.runnel.service.run.ExecutionState;
import dev.runnel.service.run.Limits;
import dev.runnel.service.store.RunQueries;
import dev.runnel.service.workspace.Workspaces;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Deletes workspaces that are old or one too many, after every execution and now and then.
public final class WorkspaceCleanup implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(WorkspaceCleanup.class);
  private static final Duration ROUND = Duration.ofMinutes(10);
  // How many times as long as a round takes it rests.
  private static final int REST = 20;
  // A deletion that is cut short goes on at the next start.
  private static final Duration LAST_WORDS = Duration.ofSeconds(5);

  private final Workspaces workspaces;
  private final RunQueries index;
  private final Limits limits;
  private final InstantSource clock;
  private final Semaphore wake = new Semaphore(0);
  private final Thread worker;
  private final CountDownLatch closed = new CountDownLatch(1);

  private WorkspaceCleanup(
      Workspaces workspaces, RunQueries index, Limits limits, InstantSource clock) {
    this.workspaces = workspaces;
    this.index = index;
    this.limits = limits;
    this.clock = clock;
    this.worker = Thread.ofVirtual().name("housekeeping").unstarted(this::work);
  }

  public static WorkspaceCleanup start(
      Workspaces workspaces, RunQueries index, Limits limits, InstantSource clock) {
    var workspaceCleanup = new WorkspaceCleanup(workspaces, index, limits, clock);
    workspaceCleanup.worker.start();
    return workspaceCleanup;
  }

  /// An execution has ended.
  void wake() {
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
      log.warn("clones not tidied up", e);
    }
    try {
      while (closed.getCount() > 0) {
        var start = System.nanoTime();
        clean();
        // Where many workspaces are kept, looking at each after each execution would be all that
        // is done here.
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
      workspaces.clean(clock.instant(), limits.keep(), limits.keepBytes(), this::isNeeded);
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      log.warn("workspaces not tidied up, will try again", e);
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
