package dev.runnel.service.output;

import dev.runnel.service.isolation.RunningProcess;
import dev.runnel.service.process.Spawner;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.limit.Limits;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Passes an agent's output to the transcript, and ends the agent when it exceeds a limit.
public final class LimitWatch implements RunningProcess.Sink, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LimitWatch.class);
  private static final Duration LOOK_AT_DISK = Duration.ofSeconds(5);
  // Measuring a big workspace takes long; the pause after it is this many times as long.
  private static final int REST_AFTER_MEASURE = 20;

  /// Follows the sentence about a run that has cost too much.
  static final String LIMIT_OF_COST = ". The limit is agents.limits.money.";

  /// Measures what the run is charged for.
  @FunctionalInterface
  public interface Measure {
    long bytes() throws IOException;
  }

  /// What the run costs.
  @FunctionalInterface
  public interface Cost {
    /// @param worked how long the agent has worked in this execution
    BigDecimal after(Duration worked);
  }

  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Spawner spawner;
  private final Limits limits;
  private final RunningProcess.Sink next;
  private final Measure disk;
  private final Cost cost;
  private final Runnable end;
  private final AtomicLong lastOutputAt = new AtomicLong(System.nanoTime());
  private final AtomicLong outputBytes = new AtomicLong();
  private final Semaphore wake = new Semaphore(0);
  private volatile Optional<ExecutionResult> reached = Optional.empty();
  private volatile boolean over;

  /// @param end ends the agent; called on the watching thread, repeatedly until it succeeds
  public LimitWatch(
      Spawner spawner,
      Limits limits,
      RunningProcess.Sink next,
      Measure disk,
      Cost cost,
      Runnable end) {
    this.spawner = spawner;
    this.limits = limits;
    this.next = next;
    this.disk = disk;
    this.cost = cost;
    this.end = end;
  }

  @Override
  public void out(String line) {
    countOutput(line);
    next.out(line);
  }

  @Override
  public void err(String line) {
    countOutput(line);
    next.err(line);
  }

  /// Starts watching; call it after the agent has started.
  public void start() {
    lastOutputAt.set(System.nanoTime());
    spawner.virtual("limits", this::watch);
  }

  /// The result of the execution if a limit was reached.
  public Optional<ExecutionResult> reached() {
    return reached;
  }

  @Override
  public void close() {
    over = true;
    wake.release();
  }

  private void countOutput(String line) {
    lastOutputAt.set(System.nanoTime());
    if (outputBytes.addAndGet(line.length() + 1L) > limits.outputBytes()) {
      wake.release();
    }
  }

  private void watch() {
    try {
      awaitLimit().ifPresent(this::endAgent);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | OutOfMemoryError e) {
      // Without limits it could run forever.
      log.error("cannot watch limits, ending the agent", e);
      endAgent(Spawner.ending(e));
    }
  }

  private void endAgent(ExecutionResult executionResult) {
    reached = Optional.of(executionResult);
    while (!over) {
      try {
        end.run();
        return;
      } catch (RuntimeException | OutOfMemoryError e) {
        log.error("cannot end agent, will retry", e);
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }

  /// @return empty if the agent ended before reaching a limit
  private Optional<ExecutionResult> awaitLimit() throws InterruptedException {
    var start = System.nanoTime();
    var diskAt = start + LOOK_AT_DISK.toNanos();
    while (!over) {
      var now = System.nanoTime();
      var found = inTime(now - start, now - lastOutputAt.get()).or(() -> inMoney(now - start));
      if (found.isEmpty() && now - diskAt >= 0) {
        found = onDisk();
        var took = System.nanoTime() - now;
        diskAt = System.nanoTime() + Math.max(LOOK_AT_DISK.toNanos(), took * REST_AFTER_MEASURE);
      }
      if (found.isPresent()) {
        return found;
      }
      var wait =
          Math.min(
              Math.min(
                  limits.total().toNanos() - (now - start),
                  limits.idle().toNanos() - (now - lastOutputAt.get())),
              diskAt - now);
      if (wake.tryAcquire(Math.max(wait, 1), TimeUnit.NANOSECONDS)) {
        wake.drainPermits();
      }
    }
    return Optional.empty();
  }

  private Optional<ExecutionResult> inTime(long spent, long idle) {
    if (outputBytes.get() > limits.outputBytes()) {
      return Optional.of(
          ExecutionResult.failed(
              "The agent was stopped: it wrote more than %s of output. The limit is agents.limits.output."
                  .formatted(Limits.words(limits.outputBytes()))));
    }
    if (spent >= limits.total().toNanos()) {
      return Optional.of(
          ExecutionResult.outOfTime(
              "The agent was stopped: it worked for %s. Reply to let it go on; the limit is agents.limits.total."
                  .formatted(Limits.words(limits.total()))));
    }
    if (idle >= limits.idle().toNanos()) {
      return Optional.of(
          ExecutionResult.outOfTime(
              "The agent was stopped: it said nothing for %s. Reply to let it go on; the limit is agents.limits.idle."
                  .formatted(Limits.words(limits.idle()))));
    }
    return Optional.empty();
  }

  private Optional<ExecutionResult> inMoney(long spent) {
    return limits
        .cost()
        .reached(cost.after(Duration.ofNanos(spent)))
        .map(why -> ExecutionResult.failed("The agent was stopped: " + why + LIMIT_OF_COST));
  }

  private Optional<ExecutionResult> onDisk() {
    try {
      return disk.bytes() > limits.diskBytes()
          ? Optional.of(
              ExecutionResult.failed(
                  "The agent was stopped: its workspace grew beyond %s. The limit is agents.limits.disk, for which a file has at least 4 KiB."
                      .formatted(Limits.words(limits.diskBytes()))))
          : Optional.empty();
    } catch (IOException e) {
      log.warn("cannot measure workspace, will retry", e);
      return Optional.empty();
    }
  }
}
