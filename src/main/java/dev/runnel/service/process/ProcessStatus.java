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

/// The status of a process at one moment, as reported by the system.
///
/// @param session the id of the session leader; 0 if the system does not report it
/// @param start start time, in a unit of the system
record ProcessStatus(
    long pid, String name, boolean isLiving, long parent, long session, long start) {
  private static final File PROC = new File("/proc");
  private static final boolean HAS_PROC = new File(PROC, "self/stat").canRead();

  /// The fields that are read end before this length.
  private static final int MAX_STAT = 1024;

  /// All processes that are visible to this one, by id. On Linux this opens one file per process,
  /// while [ProcessHandle] opens one per query.
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
    // In this order, because the handle checks the start time: if it is alive afterwards, the
    // status is that of the same process.
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
    // The name, in parentheses, may itself contain spaces and parentheses.
    var begin = stat.indexOf('(');
    var end = stat.lastIndexOf(')');
    if (begin < 0 || end < begin) {
      return Optional.empty();
    }
    var fields = stat.substring(end + 1).strip().split(" ", 21);
    if (fields.length < 21) {
      return Optional.empty();
    }
    // A zombie has ended, but its parent has not collected its status.
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

  /// Whether both belong to the same process, and not to two that had the same id one after the
  /// other.
  boolean isSame(ProcessStatus other) {
    return pid == other.pid && start == other.start;
  }

  /// A handle to signal the process; empty if it has ended, even if its id was reused.
  Optional<ProcessHandle> handle() {
    return ProcessHandle.of(pid).filter(handle -> of(handle).filter(this::isSame).isPresent());
  }

  /// Its environment variables, each between two null characters; without any if it has ended or
  /// belongs to another user.
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
