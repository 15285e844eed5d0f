package dev.runnel.service.output;

import dev.runnel.service.isolation.OutputLine;
import dev.runnel.service.isolation.RunMemory;
import dev.runnel.service.isolation.RunningProcess;
import dev.runnel.service.process.Spawner;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.limit.Limits;
import dev.runnel.threads.SupervisedThread;
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
  private static final Duration DISK_CHECK_INTERVAL = Duration.ofSeconds(5);
  // Measuring a big workspace takes long. The pause after it is at least this many times as long.
  private static final int DISK_CHECK_PAUSE_FACTOR = 20;

  /// Ends the message about a run that has reached its cost limit.
  static final String COST_LIMIT_HINT =
      ". Replies cannot continue it. `retry` starts a new run, which may cost as much again; your"
          + " Runnel admin can raise `agents.limits.money`.";

  /// Measures the disk space that counts toward the run's limit.
  @FunctionalInterface
  public interface Measure {
    long bytes() throws IOException;
  }

  /// Computes the cost of the run.
  @FunctionalInterface
  public interface Cost {
    /// @param worked how long the agent has worked in this execution
    BigDecimal after(Duration worked);
  }

  private static final Duration RETRY_DELAY = Duration.ofSeconds(1);

  private final Spawner spawner;
  private final ExecutionRequest executionRequest;
  private final Limits limits;
  private final RunningProcess.Sink next;
  private final Measure disk;
  private final Cost cost;
  private final Runnable end;
  private final AtomicLong lastOutputAt = new AtomicLong(System.nanoTime());
  private final AtomicLong outputBytes = new AtomicLong();
  private final Semaphore wake = new Semaphore(0);
  private volatile Optional<ExecutionResult> reached = Optional.empty();
  private volatile boolean isClosed;

  /// @param end ends the agent; called on the thread that watches, repeatedly until it succeeds
  public LimitWatch(
      Spawner spawner,
      ExecutionRequest executionRequest,
      Limits limits,
      RunningProcess.Sink next,
      Measure disk,
      Cost cost,
      Runnable end) {
    this.spawner = spawner;
    this.executionRequest = executionRequest;
    this.limits = limits;
    this.next = next;
    this.disk = disk;
    this.cost = cost;
    this.end = end;
  }

  @Override
  public RunMemory memory() {
    return next.memory();
  }

  @Override
  public void received(int bytes) {
    lastOutputAt.set(System.nanoTime());
    var before = outputBytes.getAndAdd(bytes);
    if (before <= limits.outputBytes() && before + bytes > limits.outputBytes()) {
      wake.release();
    }
    next.received(bytes);
  }

  @Override
  public void out(OutputLine line) {
    next.out(line);
  }

  @Override
  public void err(OutputLine line) {
    next.err(line);
  }

  /// Starts watching; call it after the agent has started.
  public void start() {
    lastOutputAt.set(System.nanoTime());
    spawner.virtual(
        "limits",
        SupervisedThread.supervised(
            "limits",
            () -> awaitLimit().ifPresent(this::endAgent),
            error -> error.ifPresent(this::endUnwatched)));
  }

  /// The result of the execution if a limit was reached.
  public Optional<ExecutionResult> reached() {
    return reached;
  }

  @Override
  public void close() {
    isClosed = true;
    wake.release();
  }

  /// Without limits the agent could run forever.
  private void endUnwatched(Throwable why) {
    var runId = executionRequest.runId();
    var execution = executionRequest.execution();
    log.error("cannot watch limits, ending the agent run={} execution={}", runId, execution);
    endAgent(Spawner.resultOf(why, runId, execution));
  }

  private void endAgent(ExecutionResult executionResult) {
    reached = Optional.of(executionResult);
    while (!isClosed) {
      try {
        end.run();
        return;
      } catch (Throwable e) {
        log.error("cannot end agent, will retry run={}", executionRequest.runId(), e);
        LockSupport.parkNanos(RETRY_DELAY.toNanos());
      }
    }
  }

  /// @return empty if the agent ended before reaching a limit
  private Optional<ExecutionResult> awaitLimit() throws InterruptedException {
    var start = System.nanoTime();
    var nextDiskCheck = start + DISK_CHECK_INTERVAL.toNanos();
    while (!isClosed) {
      var now = System.nanoTime();
      var result =
          checkOutputAndTime(now - start, now - lastOutputAt.get())
              .or(() -> checkCost(now - start));
      if (result.isEmpty() && now - nextDiskCheck >= 0) {
        result = checkDisk();
        var duration = System.nanoTime() - now;
        nextDiskCheck =
            System.nanoTime()
                + Math.max(DISK_CHECK_INTERVAL.toNanos(), duration * DISK_CHECK_PAUSE_FACTOR);
      }
      if (result.isPresent()) {
        return result;
      }
      var wait =
          Math.min(
              Math.min(
                  limits.total().toNanos() - (now - start),
                  limits.idle().toNanos() - (now - lastOutputAt.get())),
              nextDiskCheck - now);
      if (wake.tryAcquire(Math.max(wait, 1), TimeUnit.NANOSECONDS)) {
        wake.drainPermits();
      }
    }
    return Optional.empty();
  }

  private Optional<ExecutionResult> checkOutputAndTime(long elapsed, long idle) {
    if (outputBytes.get() > limits.outputBytes()) {
      return Optional.of(
          ExecutionResult.failed(
              "The agent was stopped: it wrote more than %s of output. The limit is agents.limits.output."
                  .formatted(Limits.format(limits.outputBytes()))));
    }
    if (elapsed >= limits.total().toNanos()) {
      return Optional.of(
          ExecutionResult.timedOut(
              "The agent was stopped: it worked for %s. Reply to let it go on; the limit is agents.limits.total."
                  .formatted(Limits.format(limits.total()))));
    }
    if (idle >= limits.idle().toNanos()) {
      return Optional.of(
          ExecutionResult.timedOut(
              "The agent was stopped: it wrote nothing for %s. Reply to let it go on; the limit is agents.limits.idle."
                  .formatted(Limits.format(limits.idle()))));
    }
    return Optional.empty();
  }

  private Optional<ExecutionResult> checkCost(long elapsed) {
    return limits
        .cost()
        .reached(cost.after(Duration.ofNanos(elapsed)))
        .map(why -> ExecutionResult.overBudget("The agent was stopped: " + why + COST_LIMIT_HINT));
  }

  private Optional<ExecutionResult> checkDisk() {
    try {
      return disk.bytes() > limits.diskBytes()
          ? Optional.of(
              ExecutionResult.failed(
                  "The agent was stopped: its workspace grew beyond %s. The limit is agents.limits.disk, for which a file has at least 4 KiB."
                      .formatted(Limits.format(limits.diskBytes()))))
          : Optional.empty();
    } catch (IOException e) {
      log.warn("cannot measure workspace, will retry", e);
      return Optional.empty();
    }
  }
}
