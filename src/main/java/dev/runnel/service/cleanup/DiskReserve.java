package dev.runnel.service.cleanup;

import dev.runnel.service.process.Spawner;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.workspace.Workspaces;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps free space for the database on the disk that it shares with the workspaces, so that one
/// run cannot prevent all writes. When too little is left, it deletes the biggest workspace, after
/// ending the run that executes in it.
public final class DiskReserve implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(DiskReserve.class);
  private static final Duration CHECK_INTERVAL = Duration.ofMillis(500);

  /// The reserve on a large disk: 1 GiB. On a small disk it is this fraction of the total size: 1 /
  /// [#RESERVE_DIVISOR].
  private static final long MAX_RESERVE = 1024 * FreeSpace.MIB;

  private static final int RESERVE_DIVISOR = 20;

  /// Workspaces and caches smaller than the reserve divided by this number are not deleted.
  private static final int MIN_SIZE_DIVISOR = 100;

  /// Ends the execution of a run.
  @FunctionalInterface
  public interface Executions {
    /// Ends the execution at once. Its workspace is deleted before its end is recorded.
    ///
    /// @return false if the run is not executing
    boolean evict(String runId, ExecutionResult why) throws InterruptedException;
  }

  private final Workspaces workspaces;
  private final FreeSpace disk;
  private final Executions executions;
  private final CountDownLatch closed = new CountDownLatch(1);
  private boolean helpless;

  private DiskReserve(Workspaces workspaces, FreeSpace disk, Executions executions) {
    this.workspaces = workspaces;
    this.disk = disk;
    this.executions = executions;
  }

  public static DiskReserve start(
      Spawner spawner, Workspaces workspaces, FreeSpace disk, Executions executions) {
    var reserve = new DiskReserve(workspaces, disk, executions);
    spawner.virtual("disk-reserve", reserve::work);
    return reserve;
  }

  @Override
  public void close() {
    closed.countDown();
  }

  private void work() {
    try {
      while (!closed.await(CHECK_INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
        try {
          check();
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
          log.warn("cannot check free space, will retry", e);
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void check() throws IOException, InterruptedException {
    var reserve = Math.min(MAX_RESERVE, disk.total() / RESERVE_DIVISOR);
    var free = disk.free();
    if (free >= reserve) {
      helpless = false;
      return;
    }
    if (workspaces.deleteUnusedCaches(reserve / MIN_SIZE_DIVISOR)) {
      return;
    }
    var biggest =
        workspaces
            .biggest()
            .filter(each -> each.bytes() >= reserve / MIN_SIZE_DIVISOR || !each.isComplete());
    if (biggest.isEmpty()) {
      if (!helpless) {
        log.error("disk nearly full, no workspace big enough to delete free={}", free);
      }
      helpless = true;
      return;
    }
    var runId = biggest.get().runId();
    var bytes = biggest.get().bytes();
    log.warn(
        "disk nearly full, deleting workspace run={} workspace={} free={}", runId, bytes, free);
    if (!executions.evict(runId, ExecutionResult.diskFull(bytes))) {
      workspaces.deleteUnused(runId);
    }
  }
}
