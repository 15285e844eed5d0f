package dev.runnel.service.process;

import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.store.RunTable;
import dev.runnel.service.workspace.DiskSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// All processes of one execution, and how to end them.
///
/// A child can leave its parent, process group and session. So Runnel looks for processes in four
/// ways: descendants, members of the session, processes with the run's id in their environment
/// (Linux), and [Spawner#orphans]. If an orphan has removed the run's id from its environment, its
/// run is not known, and it is ended when any run ends. An orphan with the id of another run that
/// this process executes is not ended. The search is repeated until no process is left, because
/// processes can start others meanwhile.
public final class ProcessTree {
  private static final String RUN_ID_VARIABLE = "RUNNEL_RUN_ID=";
  private static final String CLAIM_VARIABLE = "RUNNEL_CLAIM=";
  private static final String DELETED = " (deleted)";
  private static final String MEMORY_FILE = "/memfd:";
  private static final Path PROC = Path.of("/proc");
  private static final Duration KILL_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration CLOCK_SLACK = Duration.ofSeconds(2);

  private final Set<String> variables;
  // Blank for any.
  private final String claim;
  // 0 if it is unknown.
  private final long session;
  // Also empty if it has ended.
  private final Optional<ProcessStatus> root;
  // Empty if a previous process of the service began the execution.
  private final Optional<Spawner> spawner;
  private Map<Long, ProcessStatus> lastFound;

  private ProcessTree(
      String runId,
      int execution,
      String claim,
      Optional<ProcessHandle> root,
      Optional<Spawner> spawner) {
    // Both variables must match, so that processes of the run's next execution do not.
    this.variables = Set.of(RUN_ID_VARIABLE + runId, "RUNNEL_EXECUTION=" + execution);
    this.claim = claim;
    this.session = root.map(ProcessHandle::pid).orElse(0L);
    this.root = root.flatMap(ProcessStatus::of);
    this.spawner = spawner;
    this.lastFound = this.root.stream().collect(Collectors.toMap(ProcessStatus::pid, it -> it));
  }

  /// @param root empty if it is unknown
  public static ProcessTree of(
      Optional<ProcessHandle> root, ExecutionRequest executionRequest, Spawner spawner) {
    return new ProcessTree(
        executionRequest.runId(),
        executionRequest.execution(),
        executionRequest.claim(),
        root,
        Optional.of(spawner));
  }

  /// The processes that a previous process of the service left behind. The start time must match,
  /// since the process id may have been reused.
  public static ProcessTree ofOrphan(RunTable.ClaimedExecution execution) {
    var root =
        execution
            .pid()
            .flatMap(ProcessHandle::of)
            .filter(
                handle ->
                    execution.startedAt().isPresent()
                        && handle
                            .info()
                            .startInstant()
                            .map(
                                start ->
                                    Duration.between(start, execution.startedAt().get())
                                            .abs()
                                            .compareTo(CLOCK_SLACK)
                                        < 0)
                            .orElse(false));
    return new ProcessTree(
        execution.runId(), execution.execution(), execution.claim(), root, Optional.empty());
  }

  /// Asks all processes to terminate, kills those that remain after the grace time, and returns
  /// when none is left. Not thread-safe; threads may use separate instances at the same time.
  ///
  /// @return false if some processes survived even a kill
  public boolean end(Duration grace) {
    var terminated = new HashSet<ProcessHandle>();
    var start = System.nanoTime();
    var emptyChecks = 0;
    while (true) {
      var living = living();
      // A process that was being created during one check is found by the next.
      emptyChecks = living.isEmpty() ? emptyChecks + 1 : 0;
      if (emptyChecks == 2) {
        return true;
      }
      var spent = Duration.ofNanos(System.nanoTime() - start);
      if (spent.compareTo(grace.plus(KILL_TIMEOUT)) > 0) {
        return false;
      }
      var kill = spent.compareTo(grace) >= 0;
      for (var process : living) {
        process
            .handle()
            .ifPresent(
                handle -> {
                  if (kill) {
                    handle.destroyForcibly();
                  } else if (!isBubblewrap(process) && terminated.add(handle)) {
                    handle.destroy();
                  }
                });
      }
      try {
        Thread.sleep(kill || living.isEmpty() ? 5 : 30);
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
  }

  /// Whether no process is alive now.
  public boolean isEmpty() {
    return living().isEmpty();
  }

  /// The size in bytes of deleted files that processes still have open. They use disk space until
  /// they are closed, but cannot be found in a folder. Processes of other users are not included.
  long unlinkedBytes() {
    var sizes = new HashMap<Object, Long>();
    for (var process : living()) {
      try (var open = Files.list(PROC.resolve(process.pid() + "/fd"))) {
        for (var each : open.toList()) {
          unlinked(each).ifPresent(file -> sizes.put(file.key(), file.bytes()));
        }
      } catch (IOException _) {
        // It has ended, or belongs to another user.
      }
    }
    return sizes.values().stream().mapToLong(Long::longValue).sum();
  }

  /// Whether it is bubblewrap itself. On SIGTERM it would kill its sandbox at once, without the
  /// grace time. It ends by itself after the agent.
  private static boolean isBubblewrap(ProcessStatus process) {
    return process.name().equals("bwrap");
  }

  /// @param key of the file, which several processes may have open
  private record Unlinked(Object key, long bytes) {}

  private static Optional<Unlinked> unlinked(Path descriptor) {
    try {
      var name = Files.readSymbolicLink(descriptor).toString();
      if (!name.endsWith(DELETED) || name.startsWith(MEMORY_FILE)) {
        return Optional.empty();
      }
      var file = Files.readAttributes(descriptor, BasicFileAttributes.class);
      return file.isRegularFile()
          ? Optional.of(
              new Unlinked(
                  String.valueOf(file.fileKey()), DiskSpace.ofTarget(descriptor, file.size())))
          : Optional.empty();
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  private List<ProcessStatus> living() {
    var all = ProcessStatus.all();
    var self = Optional.ofNullable(all.remove(ProcessHandle.current().pid()));
    var children = all.values().stream().collect(Collectors.groupingBy(ProcessStatus::parent));
    // A session outlives its leader, but if the leader's id was reused, the session with that
    // number belongs to another process.
    var leader = all.get(session);
    var hasSession = session > 0 && (leader == null || root.filter(leader::isSame).isPresent());
    // Processes that this process started are not older than this process.
    var earliest = spawner.isPresent() ? self.map(ProcessStatus::start).orElse(0L) : 0L;
    var found = new HashMap<Long, ProcessStatus>();
    for (var process : all.values()) {
      if (wasFound(process)
          || (hasSession && process.session() == session)
          || (process.start() >= earliest && hasVariables(process))) {
        found.put(process.pid(), process);
      }
    }
    self.map(process -> children.getOrDefault(process.pid(), List.of()))
        .flatMap(own -> spawner.map(it -> orphans(it, own)))
        .ifPresent(orphans -> orphans.forEach(orphan -> found.put(orphan.pid(), orphan)));
    var parents = new ArrayDeque<>(found.values());
    while (!parents.isEmpty()) {
      var parent = parents.pop();
      for (var child : children.getOrDefault(parent.pid(), List.of())) {
        // An older child had another parent with the same id.
        if (child.start() >= parent.start() && found.put(child.pid(), child) == null) {
          parents.push(child);
        }
      }
    }
    found.values().removeIf(process -> !process.isLiving());
    lastFound = found;
    return List.copyOf(found.values());
  }

  private boolean wasFound(ProcessStatus process) {
    var before = lastFound.get(process.pid());
    return before != null && before.isSame(process);
  }

  private List<ProcessStatus> orphans(Spawner spawner, List<ProcessStatus> children) {
    var orphans = spawner.orphans(children);
    if (orphans.isEmpty()) {
      return orphans;
    }
    var others =
        spawner.runs().stream().map(run -> RUN_ID_VARIABLE + run).collect(Collectors.toSet());
    others.removeAll(variables);
    return orphans.stream()
        .filter(
            orphan -> {
              var environment = orphan.environment();
              return others.stream().noneMatch(mark -> contains(environment, mark));
            })
        .toList();
  }

  private boolean hasVariables(ProcessStatus process) {
    var environment = process.environment();
    // Another node on this machine may repeat the execution, if this node was lost before it began.
    // Processes without a claim, started by an older version, match, too.
    return variables.stream().allMatch(mark -> contains(environment, mark))
        && (claim.isEmpty()
            || !environment.contains("\0" + CLAIM_VARIABLE)
            || contains(environment, CLAIM_VARIABLE + claim));
  }

  private static boolean contains(String environment, String variable) {
    return environment.contains("\0" + variable + "\0");
  }
}
