package dev.runnel.service.execution;

import dev.runnel.service.agent.Agents;
import dev.runnel.service.cleanup.DiskReserve;
import dev.runnel.service.cleanup.WorkspaceCleanup;
import dev.runnel.service.process.ProcessTree;
import dev.runnel.service.process.Spawner;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.store.ApiKeys;
import dev.runnel.service.store.ExecutionRecords;
import dev.runnel.service.store.NodeMembership;
import dev.runnel.service.store.QueueSignal;
import dev.runnel.service.store.RunQueries;
import dev.runnel.service.store.RunService;
import dev.runnel.service.store.RunTable;
import dev.runnel.service.store.RunWatchers;
import dev.runnel.service.workspace.Snapshots;
import dev.runnel.service.workspace.Workspaces;
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

/// Executes queued runs, as many at once as there are slots per depth. People take turns. The queue
/// itself is in the database; this class reads it when signalled and a slot is free.
public final class RunQueue implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RunQueue.class);
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(5);
  private static final Duration CANCEL_PATIENCE = Duration.ofSeconds(2);

  /// A cancellation may be carried out by another node.
  private static final Duration CANCEL_LOOK = Duration.ofMillis(500);

  private static final Duration LAST_WORDS = Duration.ofSeconds(10);
  private static final Duration LAST_SNAPSHOTS = Duration.ofSeconds(20);

  private final Spawner spawner;
  private final RunService runs;
  private final ExecutionRecords records;
  private final RunQueries index;
  private final Agents agents;
  private final ApiKeys keys;
  private final ServiceSettings settings;
  private final Workspaces workspaces;
  private final Optional<Snapshots> snapshots;
  private final WorkspaceCleanup workspaceCleanup;
  private final RunWatchers watchers;
  private final QueueSignal queueSignal;
  private final NodeMembership membership;
  private final LeaseKeeper leaseKeeper;
  private final ChangeFeed changeFeed;
  private final List<Semaphore> slots;
  private final Map<String, Execution> working = new ConcurrentHashMap<>();
  private final Set<String> recovering = ConcurrentHashMap.newKeySet();
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile boolean open = true;

  private RunQueue(
      Spawner spawner,
      RunService runs,
      ExecutionRecords records,
      RunQueries index,
      Agents agents,
      ApiKeys keys,
      ServiceSettings settings,
      Workspaces workspaces,
      Optional<Snapshots> snapshots,
      WorkspaceCleanup workspaceCleanup,
      RunWatchers watchers,
      QueueSignal queueSignal,
      NodeMembership membership) {
    this.spawner = spawner;
    this.runs = runs;
    this.records = records;
    this.index = index;
    this.agents = agents;
    this.keys = keys;
    this.settings = settings;
    this.workspaces = workspaces;
    this.snapshots = snapshots;
    this.workspaceCleanup = workspaceCleanup;
    this.watchers = watchers;
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
                return working.isEmpty();
              }
            });
    this.changeFeed = ChangeFeed.start(membership, index, watchers, queueSignal, this::cancelHere);
    this.slots =
        Stream.generate(() -> new Semaphore(settings.slots()))
            .limit(RunService.DEEPEST + 1L)
            .toList();
  }

  /// Ends executions that a previous process left behind, and starts claiming runs.
  ///
  /// @param snapshots where workspaces are kept for other nodes; empty to keep none
  /// @param queueSignal signals whenever a run may have been queued
  /// @param membership this process among those that share the runs
  public static RunQueue start(
      Spawner spawner,
      RunService runs,
      ExecutionRecords records,
      RunQueries index,
      Agents agents,
      ApiKeys keys,
      ServiceSettings settings,
      Workspaces workspaces,
      Optional<Snapshots> snapshots,
      WorkspaceCleanup workspaceCleanup,
      RunWatchers watchers,
      QueueSignal queueSignal,
      NodeMembership membership) {
    var queue =
        new RunQueue(
            spawner,
            runs,
            records,
            index,
            agents,
            keys,
            settings,
            workspaces,
            snapshots,
            workspaceCleanup,
            watchers,
            queueSignal,
            membership);
    ExecutionNetwork.deleteLeft(settings.workspaces());
    records.adopt("");
    for (var left : index.left(membership.identity().name())) {
      queue.recover(left);
    }
    for (int depth = 0; depth <= RunService.DEEPEST; depth++) {
      var here = depth;
      spawner.virtual("run-queue " + depth, () -> queue.work(here));
    }
    spawner.virtual("orphaned-runs", queue::sweep);
    return queue;
  }

  /// Cancels a run and waits until its processes have ended, but not much longer than the grace
  /// time; processes still alive then are still being ended when this returns.
  ///
  /// @param asked when the caller made the request
  /// @throws RequestProblem if there is no such run, or it has ended
  public void cancel(String runId, Instant asked) {
    var isRunning = runs.cancel(runId, asked);
    // Nobody needs the results of the runs that it started.
    index.unfinishedBelow(runId).forEach(child -> cancelChild(child, asked));
    if (!isRunning) {
      return;
    }
    cancelHere(runId);
    var changes = new Semaphore(0);
    var deadline = System.nanoTime() + settings.grace().plus(CANCEL_PATIENCE).toNanos();
    try (var _ = watchers.watch(runId, changes::release)) {
      while (index.find(runId).map(RunRow::cancelAsked).orElse(false)) {
        var left = deadline - System.nanoTime();
        if (left <= 0) {
          log.error("processes of a cancelled run still alive run={}", runId);
          return;
        }
        if (changes.tryAcquire(Math.min(left, CANCEL_LOOK.toNanos()), TimeUnit.NANOSECONDS)) {
          changes.drainPermits();
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// Ends the execution of a cancelled run, if it is on this node. The execution looks itself when
  /// it begins, so one that is just being claimed is not missed.
  private void cancelHere(String runId) {
    var execution = working.get(runId);
    if (execution != null) {
      aside("cancel " + runId, execution::cancel);
    }
  }

  /// See [DiskReserve.Executions].
  public boolean giveUp(String runId, ExecutionResult why) throws InterruptedException {
    var execution = working.get(runId);
    if (execution == null) {
      return false;
    }
    execution.giveUp(why);
    return true;
  }

  /// The number of executions at work.
  public int working() {
    return working.size();
  }

  /// On platform threads, which need not wait for virtual ones.
  private void abandonAll() {
    for (var execution : working.values()) {
      try {
        spawner.daemon("lose", execution::abandon);
      } catch (Spawner.NoRoomException _) {
        execution.abandon();
      }
    }
  }

  private void cancelChild(String runId, Instant asked) {
    aside(
        "cancel " + runId,
        () -> {
          try {
            cancel(runId, asked);
          } catch (RequestProblem over) {
            log.debug("child had ended run={}", runId);
          }
        });
  }

  /// Runs work in a new thread, or in this one if no thread can be started.
  private Optional<Thread> aside(String name, Runnable work) {
    try {
      return Optional.of(spawner.virtual(name, work));
    } catch (Spawner.NoRoomException _) {
      work.run();
      return Optional.empty();
    }
  }

  /// Stops claiming runs, gives executions the drain time to finish, ends the others, and waits
  /// until their results are recorded. Queued runs stay queued.
  @Override
  public void close() {
    open = false;
    closed.countDown();
    queueSignal.tell();
    drain();
    changeFeed.close();
    var leaving =
        working.values().stream()
            .flatMap(execution -> aside("leave", execution::leave).stream())
            .toList();
    try {
      for (var each : leaving) {
        each.join();
      }
      if (!areFree(snapshots.isPresent() ? LAST_WORDS.plus(LAST_SNAPSHOTS) : LAST_WORDS)) {
        log.error("agents still working at shutdown runs={}", working.keySet());
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    leaseKeeper.close();
  }

  /// Waits for working agents, for at most the configured drain time.
  private void drain() {
    var patience = settings.limits().drain();
    if (patience.isZero() || working.isEmpty()) {
      return;
    }
    log.info("waiting for agents to finish runs={} timeout={}", working.keySet(), patience);
    try {
      areFree(patience);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// Waits until all slots are free.
  private boolean areFree(Duration most) throws InterruptedException {
    var deadline = System.nanoTime() + most.toNanos();
    for (var places : slots) {
      if (!places.tryAcquire(
          settings.slots(), deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        return false;
      }
      places.release(settings.slots());
    }
    return true;
  }

  private void work(int depth) {
    var places = slots.get(depth);
    try {
      while (open) {
        places.acquire();
        var started = false;
        try {
          started = startNext(depth);
        } catch (RuntimeException | OutOfMemoryError e) {
          log.warn("cannot read queue, will retry", e);
        } finally {
          if (!started) {
            places.release();
          }
        }
        if (!started) {
          // The timeout covers a database that was unavailable at that moment.
          queueSignal.await(depth, LOOK_AGAIN);
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
    var job = records.claimNext(depth);
    if (job.isEmpty()) {
      return false;
    }
    var runId = job.get().runId();
    var execution =
        new Execution(
            spawner,
            job.get(),
            agents,
            keys,
            settings,
            records,
            index,
            watchers,
            workspaces,
            snapshots,
            membership.identity().place());
    working.put(runId, execution);
    if (!open) {
      // The run was claimed while close() was running, which may have missed it.
      execution.leave();
    }
    try {
      spawner.virtual("run " + runId, () -> execute(runId, execution, slots.get(depth)));
      return true;
    } catch (Spawner.NoRoomException e) {
      log.error("cannot start execution run={}", runId, e);
      working.remove(runId, execution);
      var _ = records.finish(job.get().claim(), ExecutionResult.noRoom());
      return false;
    }
  }

  private void execute(String runId, Execution execution, Semaphore places) {
    try {
      execution.run();
    } catch (RuntimeException | OutOfMemoryError e) {
      log.error("execution failed, will be ended as orphaned run={}", runId, e);
    } finally {
      working.remove(runId, execution);
      places.release();
      workspaceCleanup.wake();
    }
  }

  /// Periodically looks for executions that nobody works on here.
  private void sweep() {
    var orphaned = new RunsWithoutExecution();
    try {
      while (!closed.await(LOOK_AGAIN.toSeconds(), TimeUnit.SECONDS)) {
        try {
          records.adopt(membership.id());
          var left = index.left(membership.identity().name());
          for (var each : orphaned.look(left, this::isWorkedOn)) {
            log.error("orphaned run found run={}", each.runId());
            recover(each);
          }
          settings
              .isolation()
              .sweep((runId, claim) -> !isWorkedOn(runId) && index.isOver(runId, claim));
        } catch (RuntimeException | OutOfMemoryError e) {
          log.warn("cannot look for orphaned runs, will retry", e);
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isWorkedOn(String runId) {
    return working.containsKey(runId) || recovering.contains(runId);
  }

  private void recover(RunTable.Left left) {
    if (recovering.add(left.runId())) {
      aside("recover " + left.runId(), () -> end(left));
    }
  }

  /// Ends the remaining processes of an orphaned execution, and records its end.
  private void end(RunTable.Left left) {
    try {
      var tree = ProcessTree.left(left);
      if (!tree.isEmpty()) {
        log.warn("ending an orphaned agent run={}", left.runId());
        if (!tree.end(settings.grace())) {
          log.error("cannot kill all processes, will retry run={}", left.runId());
          return;
        }
      }
      if (!settings.isolation().cleanUp(left.runId(), left.execution(), settings.environment())) {
        return;
      }
      // What this very process claimed is without a worker only if something broke: the execution,
      // or the connection that would have said that the claim was made.
      var why =
          left.node().equals(membership.id())
              ? ExecutionResult.broken()
              : ExecutionResult.restarted();
      var _ = records.giveBack(left.claim(), why);
    } catch (RuntimeException | OutOfMemoryError e) {
      log.error("cannot end orphaned run, will retry run={}", left.runId(), e);
    } finally {
      recovering.remove(left.runId());
    }
  }
}
