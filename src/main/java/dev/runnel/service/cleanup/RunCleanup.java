package dev.runnel.service.cleanup;

import dev.runnel.database.DatabaseException;
import dev.runnel.service.store.RunErasure;
import dev.runnel.threads.SupervisedThread;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Deletes ended runs and their transcripts once they are old, and responses to requests that
/// nobody repeats any more: at the start and then daily, in small commits.
public final class RunCleanup implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RunCleanup.class);
  private static final Duration INTERVAL = Duration.ofDays(1);
  private static final Duration RESPONSE_RETENTION = Duration.ofDays(7);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
  private static final int LINES_PER_TRANSACTION = 1_000;
  private static final int RUNS_PER_QUERY = 20;

  private final RunErasure erasure;
  private final Folders folders;
  private final Retention retention;
  private final InstantSource clock;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread worker;

  /// The folders of runs.
  @FunctionalInterface
  public interface Folders {
    /// Deletes the folders of a run whose rows are deleted next.
    void delete(String runId) throws IOException;
  }

  /// How long runs and transcripts are kept after the end of the run.
  public record Retention(Duration runs, Duration transcripts) {}

  private RunCleanup(
      RunErasure erasure, Folders folders, Retention retention, InstantSource clock) {
    this.erasure = erasure;
    this.folders = folders;
    this.retention = retention;
    this.clock = clock;
    this.worker =
        SupervisedThread.unstarted(
            "run-cleanup",
            SupervisedThread.repeating("run-cleanup", this::work, INTERVAL, this::isOpen));
  }

  public static RunCleanup start(
      RunErasure erasure, Folders folders, Retention retention, InstantSource clock) {
    var cleanup = new RunCleanup(erasure, folders, retention, clock);
    cleanup.worker.start();
    return cleanup;
  }

  private void work() throws InterruptedException {
    try {
      clean();
    } catch (DatabaseException e) {
      log.warn("old runs not deleted, will retry error={}", e.toString());
    }
    var _ = closed.await(INTERVAL.toSeconds(), TimeUnit.SECONDS);
  }

  private void clean() {
    var now = clock.instant();
    erasure.deleteResponses(now.minus(RESPONSE_RETENTION));
    var lines = 0;
    for (int deleted = LINES_PER_TRANSACTION;
        deleted == LINES_PER_TRANSACTION && isOpen();
        lines += deleted) {
      deleted =
          erasure.deleteTranscripts(now.minus(retention.transcripts()), LINES_PER_TRANSACTION);
    }
    var runs = 0;
    var skipped = new HashSet<String>();
    var ended = endedBefore(now.minus(retention.runs()), skipped);
    while (!ended.isEmpty() && isOpen()) {
      for (var run : ended) {
        if (!deleteFolders(run)) {
          skipped.add(run);
        } else if (erasure.delete(run)) {
          runs++;
        }
      }
      ended = endedBefore(now.minus(retention.runs()), skipped);
    }
    if (lines + runs > 0) {
      log.info("old runs deleted runs={} lines={}", runs, lines);
    }
  }

  private List<String> endedBefore(Instant before, Set<String> skipped) {
    return erasure.endedBefore(before, RUNS_PER_QUERY + skipped.size()).stream()
        .filter(run -> !skipped.contains(run))
        .toList();
  }

  /// Deletes the folders before the rows, so that after a crash the rows still show what remains.
  ///
  /// @return false if the run must be kept until the next round
  private boolean deleteFolders(String run) {
    try {
      folders.delete(run);
      return true;
    } catch (IOException e) {
      log.warn("old run not deleted, will retry run={} error={}", run, e.toString());
      return false;
    }
  }

  private boolean isOpen() {
    return closed.getCount() > 0;
  }

  @Override
  public void close() {
    closed.countDown();
    try {
      worker.join(CLOSE_TIMEOUT);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
