package dev.runnel.service.process;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// What the system says about a process at one moment.
///
/// @param session the id of the session's first process; 0 if the system does not tell it
/// @param start since when it runs, in a unit of the system
record ProcessStatus(
    long pid, String name, boolean isLiving, long parent, long session, long start) {
  private static final File PROC = new File("/proc");
  private static final boolean HAS_PROC = new File(PROC, "self/stat").canRead();

  /// The fields that are read end before this length.
  private static final int MAX_STAT = 1024;

  /// All processes that this one may see, by their ids. On Linux this opens one file for each,
  /// where [ProcessHandle] opens one for each question about each.
  static Map<Long, ProcessStatus> all() {
    var all = new HashMap<Long, ProcessStatus>();
    pids().forEach(pid -> of(pid).ifPresent(status -> all.put(pid, status)));
    return all;
  }

  private static Stream<Long> pids() {
    if (!HAS_PROC) {
      return ProcessHandle.allProcesses().map(ProcessHandle::pid);
    }
    var names = PROC.list();
    if (names == null) {
      throw new UncheckedIOException(new IOException("Cannot list " + PROC));
    }
    return Stream.of(names).filter(name -> Character.isDigit(name.charAt(0))).map(Long::valueOf);
  }

  /// Empty if there is no such process, or it is hidden from this one.
  static Optional<ProcessStatus> of(long pid) {
    return HAS_PROC
        ? read(pid, "stat", MAX_STAT).flatMap(stat -> parse(pid, stat))
        : ProcessHandle.of(pid).map(ProcessStatus::withoutProc);
  }

  /// Empty if it has ended. Its id may have been reused.
  static Optional<ProcessStatus> of(ProcessHandle process) {
    // In this order: the handle, which knows the start, then vouches for what was read.
    return of(process.pid()).filter(_ -> process.isAlive());
  }

  private static ProcessStatus withoutProc(ProcessHandle process) {
    return new ProcessStatus(
        process.pid(),
        "",
        process.isAlive(),
        process.parent().map(ProcessHandle::pid).orElse(0L),
        0,
        process.info().startInstant().map(Instant::toEpochMilli).orElse(0L));
  }

  /// @param stat the text of `/proc/PID/stat`
  static Optional<ProcessStatus> parse(long pid, String stat) {
    // The name, in parentheses, may itself hold blanks and parentheses.
    var begin = stat.indexOf('(');
    var end = stat.lastIndexOf(')');
    if (begin < 0 || end < begin) {
      return Optional.empty();
    }
    var fields = stat.substring(end + 1).strip().split(" ", 21);
    if (fields.length < 21) {
      return Optional.empty();
    }
    // A zombie has ended; its parent just has not collected its status.
    var isLiving = !fields[0].equals("Z") && !fields[0].equals("X");
    return Optional.of(
        new ProcessStatus(
            pid,
            stat.substring(begin + 1, end),
            isLiving,
            Long.parseLong(fields[1]),
            Long.parseLong(fields[3]),
            Long.parseLong(fields[19])));
  }

  /// Whether both are about the same process, and not about two that had the id one after the
  /// other.
  boolean isSame(ProcessStatus other) {
    return pid == other.pid && start == other.start;
  }

  /// To signal it; empty if it has ended. Its id may have been reused.
  Optional<ProcessHandle> handle() {
    return ProcessHandle.of(pid).filter(handle -> of(handle).filter(this::isSame).isPresent());
  }

  /// Its variables, each between two null characters; empty if it has ended or is another user's.
  String environment() {
    return "\0" + read(pid, "environ", Integer.MAX_VALUE).orElse("") + "\0";
  }

  private static Optional<String> read(long pid, String file, int length) {
    try (var stream = new FileInputStream(PROC + "/" + pid + "/" + file)) {
      return Optional.of(new String(stream.readNBytes(length), StandardCharsets.ISO_8859_1));
    } catch (IOException _) {
      return Optional.empty();
    }
  }
}
