package dev.runnel.service.execution;

import dev.runnel.service.store.RunTable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/// All processes of one execution, and how to end them.
///
/// A child may leave its parent, its group and its session. So they are looked for in three ways:
/// the descendants, the members of the session, and, on Linux, whoever has the run's id in its
/// environment. They are looked for again until none is left, since they may start others
/// meanwhile.
final class ProcessTree {
  private static final Path PROC = Path.of("/proc");
  private static final Duration PATIENCE_AFTER_KILL = Duration.ofSeconds(5);
  private static final Duration CLOCK_SLACK = Duration.ofSeconds(2);

  private final Set<String> marks;
  private final Optional<ProcessHandle> root;
  private final Set<ProcessHandle> known = new HashSet<>();

  private ProcessTree(String runId, int execution, Optional<ProcessHandle> root) {
    // The next execution of the run must not be taken for a part of this one.
    this.marks = Set.of("RUNNEL_RUN_ID=" + runId, "RUNNEL_EXECUTION=" + execution);
    this.root = root;
    root.ifPresent(known::add);
  }

  static ProcessTree of(ProcessHandle root, String runId, int execution) {
    return new ProcessTree(runId, execution, Optional.of(root));
  }

  /// What there is of an execution whose first process nobody knows.
  static ProcessTree of(String runId, int execution) {
    return new ProcessTree(runId, execution, Optional.empty());
  }

  /// What an earlier life of the service left. A process id that was given away since is nobody's
  /// of ours, so the start time must fit.
  static ProcessTree left(RunTable.Left left) {
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
    return new ProcessTree(left.runId(), left.execution(), root);
  }

  /// Tells all to terminate, kills what is left after the grace time, and returns when none is
  /// left. Several threads may call it, each on its own instance.
  ///
  /// @return false when some would not even die from a kill
  boolean end(Duration grace) {
    var told = new HashSet<ProcessHandle>();
    var start = System.nanoTime();
    var sightingsOfNobody = 0;
    while (true) {
      var living = living();
      // One that was being born during the first look is seen by the second.
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
        } else if (told.add(process)) {
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

  /// Whether any of them lives now.
  boolean isEmpty() {
    return living().isEmpty();
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
    known.remove(ProcessHandle.current());
    known.removeIf(process -> !isLiving(process));
    return Set.copyOf(known);
  }

  /// A session outlives its leader; but when somebody else has got the leader's id meanwhile, the
  /// session of that number is somebody else's too.
  private static boolean isStillItself(ProcessHandle root) {
    return ProcessHandle.of(root.pid()).map(root::equals).orElse(true);
  }

  private static boolean isLiving(ProcessHandle process) {
    if (!process.isAlive()) {
      return false;
    }
    // A zombie is over; only its parent has not asked yet.
    var state = stat(process, 0);
    return !state.equals("Z") && !state.equals("X");
  }

  private static boolean isInSession(ProcessHandle process, long session) {
    return stat(process, 3).equals(Long.toString(session));
  }

  private boolean isMarked(ProcessHandle process) {
    try {
      var environment =
          Files.readString(PROC.resolve(process.pid() + "/environ"), StandardCharsets.ISO_8859_1);
      return Set.copyOf(Arrays.asList(environment.split("\0", -1))).containsAll(marks);
    } catch (IOException _) {
      return false; // gone, or another user's
    }
  }

  /// A field of the kernel's line about a process: 0 is the state, 3 the session.
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
