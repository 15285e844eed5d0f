package dev.runnel.service.execution;

import dev.runnel.service.cleanup.DiskReserve;
import dev.runnel.service.cleanup.WorkspaceCleanup;
import dev.runnel.service.isolation.RunMemory;
import dev.runnel.service.process.Spawner;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.store.ExecutionRecords;
import dev.runnel.service.store.NodeMembership;
import dev.runnel.service.store.QueueSignal;
import dev.runnel.service.store.RunQueries;
import dev.runnel.service.store.RunService;
import dev.runnel.service.store.RunTable;
import dev.runnel.service.store.RunWatchers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Executes queued runs, with a number of slots for each depth. The queue itself is in the
/// database; this class claims a run when a slot is free and it is signalled.
public final class RunQueue implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RunQueue.class);
  private static final Duration POLL_INTERVAL = Duration.ofSeconds(5);
  private static final Duration CANCEL_TIMEOUT = Duration.ofSeconds(2);

  /// Another node may carry out the cancellation, so the row is polled, too.
  private static final Duration CANCEL_POLL_INTERVAL = Duration.ofMillis(500);

  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration SNAPSHOT_TIMEOUT = Duration.ofSeconds(20);

  private final ExecutionContext context;
  private final Spawner spawner;
  private final ExecutionRecords records;
  private final RunQueries queries;
  private final ServiceSettings settings;
  private final RunWatchers watchers;
  private final RunService runs;
  private final WorkspaceCleanup workspaceCleanup;
  private final QueueSignal queueSignal;
  private final NodeMembership membership;
  private final LeaseKeeper leaseKeeper;
  private final ChangeFeed changeFeed;
  private final List<Semaphore> slots;
  private final Map<String, Execution> executions = new ConcurrentHashMap<>();
  private final Set<String> recovering = ConcurrentHashMap.newKeySet();
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile boolean open = true;

  /// @param queueSignal signals whenever a run may have been queued
  /// @param membership the membership of this process among the nodes
  public RunQueue(
      ExecutionContext context,
      RunService runs,
      WorkspaceCleanup workspaceCleanup,
      QueueSignal queueSignal,
      NodeMembership membership) {
    this.context = context;
    this.spawner = context.spawner();
    this.records = context.records();
    this.queries = context.queries();
    this.settings = context.settings();
    this.watchers = context.watchers();
    this.runs = runs;
    this.workspaceCleanup = workspaceCleanup;
    this.queueSignal = queueSignal;
    this.membership = membership;
    this.leaseKeeper =
        LeaseKeeper.start(
            membership,
            records,
            new LeaseKeeper.Work() {
              @Override
              public void abandon() {
                abandonAll();
              }

              @Override
              public boolean isIdle() {
                return executions.isEmpty();
              }
            });
    this.changeFeed =
        ChangeFeed.start(membership, queries, watchers, queueSignal, this::cancelHere);
    this.slots =
        Stream.generate(() -> new Semaphore(settings.slots()))
            .limit(RunService.MAX_DEPTH + 1L)
            .toList();
  }

  /// Ends executions that a previous process left unfinished, and starts to claim runs.
  public RunQueue start() {
    ExecutionNetwork.deleteStaleSockets(settings.workspaces());
    records.correctClaims("");
    for (var execution : queries.executionsOn(membership.identity().name())) {
      recover(execution);
    }
    for (int depth = 0; depth <= RunService.MAX_DEPTH; depth++) {
      var here = depth;
      spawner.virtual("run-queue " + depth, () -> work(here));
    }
    spawner.virtual("orphaned-runs", this::sweep);
    return this;
  }

  /// Cancels a run and the runs below it, and waits until its own processes have ended, for at most
  /// the grace time and [#CANCEL_TIMEOUT]. If some are still alive then, ending them continues in
  /// the background.
  ///
  /// @param includesBlocked whether a run that waits for a person is cancelled, too
  /// @param asked when the caller made the request
  /// @throws dev.runnel.service.run.RequestProblem see [RunService#cancel]
  public void cancel(String runId, boolean includesBlocked, Instant asked) {
    var ending = runs.cancel(runId, includesBlocked, asked);
    ending.forEach(this::cancelHere);
    // The results of the runs below are not needed.
    if (!ending.contains(runId)) {
      return;
    }
    var changes = new Semaphore(0);
    var deadline = System.nanoTime() + settings.grace().plus(CANCEL_TIMEOUT).toNanos();
    try (var _ = watchers.watch(runId, changes::release)) {
      while (queries.find(runId).map(RunRow::isCancelRequested).orElse(false)) {
        var remaining = deadline - System.nanoTime();
        if (remaining <= 0) {
          log.error("processes of a cancelled run still alive run={}", runId);
          return;
        }
        if (changes.tryAcquire(
            Math.min(remaining, CANCEL_POLL_INTERVAL.toNanos()), TimeUnit.NANOSECONDS)) {
          changes.drainPermits();
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// Ends the execution of a cancelled run, if it is on this node. An execution that is just being
  /// claimed is not missed, because it checks for a cancellation itself.
  private void cancelHere(String runId) {
    var execution = executions.get(runId);
    if (execution != null) {
      runInNewThread("cancel " + runId, execution::cancel);
    }
  }

  /// See [DiskReserve.Executions].
  public boolean evict(String runId, ExecutionResult why) throws InterruptedException {
    var execution = executions.get(runId);
    if (execution == null) {
      return false;
    }
    execution.evict(why);
    return true;
  }

  /// The number of current executions.
  public int executing() {
    return executions.size();
  }

  /// Abandons all executions. Uses platform threads, which need not wait for virtual threads.
  private void abandonAll() {
    for (var execution : executions.values()) {
      try {
        spawner.daemon("abandon", execution::abandon);
      } catch (Spawner.NoResourcesException _) {
        execution.abandon();
      }
    }
  }

  /// Runs work in a new thread, or in this one if no thread can be started.
  private Optional<Thread> runInNewThread(String name, Runnable work) {
    try {
      return Optional.of(spawner.virtual(name, work));
    } catch (Spawner.NoResourcesException _) {
      work.run();
      return Optional.empty();
    }
  }

  /// Drains the queue unless that was done, ends the executions that have not finished, and waits
  /// until their results are recorded. Queued runs stay queued.
  @Override
  public void close() {
    drain();
    changeFeed.close();
    var threads =
        executions.values().stream()
            .flatMap(execution -> runInNewThread("shut-down", execution::shutDown).stream())
            .toList();
    try {
      for (var each : threads) {
        each.join();
      }
      if (!awaitFreeSlots(
          context.snapshots().isPresent() ? CLOSE_TIMEOUT.plus(SNAPSHOT_TIMEOUT) : CLOSE_TIMEOUT)) {
        log.error("agents still working at shutdown runs={}", executions.keySet());
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    leaseKeeper.close();
  }

  /// Stops claiming runs, and gives executions the drain time to finish. They can be cancelled
  /// meanwhile. Does nothing the second time.
  public void drain() {
    if (!open) {
      return;
    }
    open = false;
    closed.countDown();
    queueSignal.signal();
    var timeout = settings.limits().drain();
    if (timeout.isZero() || executions.isEmpty()) {
      return;
    }
    log.info("waiting for agents to finish runs={} timeout={}", executions.keySet(), timeout);
    try {
      awaitFreeSlots(timeout);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// Waits until all slots are free.
  private boolean awaitFreeSlots(Duration timeout) throws InterruptedException {
    var deadline = System.nanoTime() + timeout.toNanos();
    for (var slotsOfDepth : slots) {
      if (!slotsOfDepth.tryAcquire(
          settings.slots(), deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        return false;
      }
      slotsOfDepth.release(settings.slots());
    }
    return true;
  }

  private void work(int depth) {
    var slotsOfDepth = slots.get(depth);
    try {
      while (open) {
        slotsOfDepth.acquire();
        var started = false;
        try {
          started = startNext(depth);
        } catch (Throwable e) {
          log.warn("cannot read queue, will retry", e);
        } finally {
          if (!started) {
            slotsOfDepth.release();
          }
        }
        if (!started) {
          // The timeout covers a database that was unavailable at that moment.
          queueSignal.await(depth, POLL_INTERVAL);
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean startNext(int depth) {
    if (!open) {
      return false;
    }
    var memory = context.memory().tryOpen(depth);
    if (memory.isEmpty()) {
      return false;
    }
    var started = false;
    try {
      started = startNext(depth, memory.get());
      return started;
    } finally {
      if (!started) {
        memory.get().close();
      }
    }
  }

  /// @param memory of the execution, until its end
  /// @return whether an execution was started
  private boolean startNext(int depth, RunMemory memory) {
    var claimed = records.claimNext(depth);
    if (claimed.isEmpty()) {
      return false;
    }
    var runId = claimed.get().runId();
    var execution = new Execution(claimed.get(), context, memory);
    executions.put(runId, execution);
    if (!open) {
      // The run was claimed while close() was running, which may have missed it.
      execution.shutDown();
    }
    try {
      spawner.virtual("run " + runId, () -> execute(runId, execution, memory, slots.get(depth)));
      return true;
    } catch (Spawner.NoResourcesException e) {
      log.error("cannot start execution run={}", runId, e);
      executions.remove(runId, execution);
      var _ = records.finish(claimed.get().claim(), ExecutionResult.noResources());
      return false;
    }
  }

  private void execute(
      String runId, Execution execution, RunMemory memory, Semaphore slotsOfDepth) {
    try {
      execution.run();
    } catch (Throwable e) {
      log.error("execution failed, will be ended as orphaned run={}", runId, e);
    } finally {
      executions.remove(runId, execution);
      memory.close();
      slotsOfDepth.release();
      workspaceCleanup.wake();
    }
  }

  /// Periodically looks for orphaned executions of this node.
  private void sweep() {
    var orphaned = new RunsWithoutExecution();
    try {
      while (!closed.await(POLL_INTERVAL.toSeconds(), TimeUnit.SECONDS)) {
        try {
          records.correctClaims(membership.id());
          var claimed = queries.executionsOn(membership.identity().name());
          for (var each : orphaned.findOrphaned(claimed, this::isExecuting)) {
            log.error("orphaned run found run={} execution={}", each.runId(), each.execution());
            recover(each);
          }
          settings
              .isolation()
              .sweep((runId, claim) -> !isExecuting(runId) && queries.isClaimOver(runId, claim));
        } catch (Throwable e) {
          log.warn("cannot look for orphaned runs, will retry", e);
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isExecuting(String runId) {
    return executions.containsKey(runId) || recovering.contains(runId);
  }

  private void recover(RunTable.ClaimedExecution execution) {
    if (recovering.add(execution.runId())) {
      runInNewThread("recover " + execution.runId(), () -> endOrphan(execution));
    }
  }

  /// Ends the remaining processes of an orphaned execution, and records its end.
  private void endOrphan(RunTable.ClaimedExecution execution) {
    try {
      var tree = spawner.leftBehind(execution);
      if (!tree.isEmpty()) {
        log.warn("ending an orphaned agent run={}", execution.runId());
        if (!tree.end(settings.grace())) {
          log.error("cannot kill all processes, will retry run={}", execution.runId());
          return;
        }
      }
      if (!settings
          .isolation()
          .cleanUp(execution.runId(), execution.execution(), settings.environment())) {
        return;
      }
      // A claim of this process has no execution only after an error: in the execution, or in the
      // connection, so that the response to the claim was lost.
      var why =
          execution.node().equals(membership.id())
              ? ExecutionResult.internalError(execution.runId(), execution.execution())
              : ExecutionResult.restarted();
      var _ = records.returnToQueue(execution.claim(), why);
    } catch (Throwable e) {
      log.error("cannot end orphaned run, will retry run={}", execution.runId(), e);
    } finally {
      recovering.remove(execution.runId());
    }
  }
}
