package dev.runnel.service.process;

import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.store.RunTable;
import dev.runnel.service.workspace.DiskSpace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// All processes of one execution, and how to end them.
///
/// A child can leave its parent, process group and session. So Runnel looks for processes in four
/// ways: descendants, members of the session, processes with the run's id in their environment
/// (Linux), and [Spawner#orphans]. Runnel cannot know to which run an orphan belongs that has
/// removed the run's id from its environment: it is ended when any run ends. An orphan with the id
/// of another run that this process executes is left to that run. The search repeats until no
/// process is left, because processes can start others meanwhile.
public final class ProcessTree {
  private static final String MARK = "RUNNEL_RUN_ID=";
  private static final String CLAIM = "RUNNEL_CLAIM=";
  private static final String DELETED = " (deleted)";
  private static final String IN_MEMORY = "/memfd:";
  private static final Path PROC = Path.of("/proc");
  private static final Duration PATIENCE_AFTER_KILL = Duration.ofSeconds(5);
  private static final Duration CLOCK_SLACK = Duration.ofSeconds(2);

  private final Set<String> marks;
  // Blank for any.
  private final String claim;
  private final Optional<ProcessHandle> root;
  private final Supplier<Set<ProcessHandle>> orphans;
  private final Supplier<Set<String>> runs;
  private final Set<ProcessHandle> known = new HashSet<>();

  private ProcessTree(
      String runId,
      int execution,
      String claim,
      Optional<ProcessHandle> root,
      Supplier<Set<ProcessHandle>> orphans,
      Supplier<Set<String>> runs) {
    // Both marks are needed, so that processes of the run's next execution do not match.
    this.marks = Set.of(MARK + runId, "RUNNEL_EXECUTION=" + execution);
    this.claim = claim;
    this.root = root;
    this.orphans = orphans;
    this.runs = runs;
    root.ifPresent(known::add);
  }

  /// @param root empty if it is unknown
  public static ProcessTree of(
      Optional<ProcessHandle> root, ExecutionRequest executionRequest, Spawner spawner) {
    return new ProcessTree(
        executionRequest.runId(),
        executionRequest.execution(),
        executionRequest.claim(),
        root,
        spawner::orphans,
        spawner::runs);
  }

  /// The processes that a previous process of the service left behind. The start time must match,
  /// since the process id may have been reused.
  public static ProcessTree left(RunTable.Left left) {
    var root =
        left.pid()
            .flatMap(ProcessHandle::of)
            .filter(
                handle ->
                    left.startedAt().isPresent()
                        && handle
                            .info()
                            .startInstant()
                            .map(
                                start ->
                                    Duration.between(start, left.startedAt().get())
                                            .abs()
                                            .compareTo(CLOCK_SLACK)
                                        < 0)
                            .orElse(false));
    return new ProcessTree(left.runId(), left.execution(), left.claim(), root, Set::of, Set::of);
  }

  /// Asks all processes to terminate, kills those left after the grace time, and returns when none
  /// is left. Not thread-safe; threads may use separate instances at the same time.
  ///
  /// @return false if some processes survived even a kill
  public boolean end(Duration grace) {
    var told = new HashSet<ProcessHandle>();
    var start = System.nanoTime();
    var sightingsOfNobody = 0;
    while (true) {
      var living = living();
      // A process that was just being created during one check is found by the next.
      sightingsOfNobody = living.isEmpty() ? sightingsOfNobody + 1 : 0;
      if (sightingsOfNobody == 2) {
        return true;
      }
      var spent = Duration.ofNanos(System.nanoTime() - start);
      if (spent.compareTo(grace.plus(PATIENCE_AFTER_KILL)) > 0) {
        return false;
      }
      var kill = spent.compareTo(grace) >= 0;
      for (var process : living) {
        if (kill) {
          process.destroyForcibly();
        } else if (!isMonitor(process) && told.add(process)) {
          process.destroy();
        }
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

  /// The bytes of files that processes have open although no folder has them any more: they take
  /// space on the disk until they are closed, and nobody finds them there. Of another user's
  /// processes nothing is found.
  long unlinkedBytes() {
    var sizes = new HashMap<Object, Long>();
    for (var process : living()) {
      try (var open = Files.list(PROC.resolve(process.pid() + "/fd"))) {
        for (var each : open.toList()) {
          unlinked(each).ifPresent(file -> sizes.put(file.key(), file.bytes()));
        }
      } catch (IOException _) {
        // It has ended, or is another user's.
      }
    }
    return sizes.values().stream().mapToLong(Long::longValue).sum();
  }

  /// @param key of the file, which several processes may have open
  private record Unlinked(Object key, long bytes) {}

  private static Optional<Unlinked> unlinked(Path descriptor) {
    try {
      var name = Files.readSymbolicLink(descriptor).toString();
      if (!name.endsWith(DELETED) || name.startsWith(IN_MEMORY)) {
        return Optional.empty();
      }
      var file = Files.readAttributes(descriptor, BasicFileAttributes.class);
      return file.isRegularFile()
          ? Optional.of(
              new Unlinked(
                  String.valueOf(file.fileKey()), DiskSpace.behind(descriptor, file.size())))
          : Optional.empty();
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  private Set<ProcessHandle> living() {
    var session = root.filter(ProcessTree::isStillItself).map(ProcessHandle::pid);
    for (var process : Set.copyOf(known)) {
      process.descendants().forEach(known::add);
    }
    if (Files.isDirectory(PROC)) {
      ProcessHandle.allProcesses()
          .filter(
              process ->
                  (session.isPresent() && isInSession(process, session.get())) || isMarked(process))
          .forEach(known::add);
    }
    var found = orphans.get();
    if (!found.isEmpty()) {
      var others = runs.get().stream().map(run -> MARK + run).collect(Collectors.toSet());
      others.removeAll(marks);
      found.stream()
          .filter(process -> Collections.disjoint(environment(process), others))
          .forEach(known::add);
    }
    known.remove(ProcessHandle.current());
    known.removeIf(process -> !isLiving(process));
    return Set.copyOf(known);
  }

  /// Whether the root's process id still refers to it. A session outlives its leader, but if the id
  /// was reused, the session with that number belongs to another process.
  private static boolean isStillItself(ProcessHandle root) {
    return ProcessHandle.of(root.pid()).map(root::equals).orElse(true);
  }

  static boolean isLiving(ProcessHandle process) {
    if (!process.isAlive()) {
      return false;
    }
    // A zombie has ended; its parent just has not collected its status.
    var state = stat(process, 0);
    return !state.equals("Z") && !state.equals("X");
  }

  /// Whether it is bubblewrap itself. It kills its sandbox when it is asked to terminate, and ends
  /// by itself after the agent, which has the grace time.
  private static boolean isMonitor(ProcessHandle process) {
    try {
      return Files.readString(PROC.resolve(process.pid() + "/comm")).strip().equals("bwrap");
    } catch (IOException _) {
      return false;
    }
  }

  private static boolean isInSession(ProcessHandle process, long session) {
    return stat(process, 3).equals(Long.toString(session));
  }

  private boolean isMarked(ProcessHandle process) {
    var environment = environment(process);
    return environment.containsAll(marks) && environment.stream().noneMatch(this::isAnotherClaim);
  }

  /// Another node of this machine may do the same execution, if this one was lost before it began.
  /// What was started without a claim, as by the version before there were any, matches, too.
  private boolean isAnotherClaim(String variable) {
    return !claim.isEmpty() && variable.startsWith(CLAIM) && !variable.equals(CLAIM + claim);
  }

  /// Empty for a process that is gone, or another user's.
  private static Set<String> environment(ProcessHandle process) {
    try {
      var environment =
          Files.readString(PROC.resolve(process.pid() + "/environ"), StandardCharsets.ISO_8859_1);
      return new HashSet<>(Arrays.asList(environment.split("\0", -1)));
    } catch (IOException _) {
      return Set.of();
    }
  }

  /// A field of `/proc/PID/stat` after the name: 0 is the state, 3 the session.
  private static String stat(ProcessHandle process, int field) {
    try {
      var line =
          Files.readString(PROC.resolve(process.pid() + "/stat"), StandardCharsets.ISO_8859_1);
      // The name, in parentheses, may itself hold spaces and parentheses.
      return line.substring(line.lastIndexOf(')') + 2).split(" ", -1)[field];
    } catch (IOException | IndexOutOfBoundsException _) {
      return "";
    }
  }
}
