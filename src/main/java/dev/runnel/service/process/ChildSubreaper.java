package dev.runnel.service.process;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Linux' child subreaper: descendants of this process whose parents have ended become its
/// children, instead of those of the init process. So they can always be found, whatever they
/// change in their environment, session and parents.
///
/// The kernel holds the state. Other systems have no equivalent.
public final class ChildSubreaper {
  private static final Logger log = LoggerFactory.getLogger(ChildSubreaper.class);
  private static final int PR_SET_CHILD_SUBREAPER = 36;
  private static final int PR_GET_CHILD_SUBREAPER = 37;
  private static final int WNOHANG = 1;

  private ChildSubreaper() {}

  /// Makes this process a child subreaper. From then on, it must start all its children by a
  /// [Spawner].
  public static void become() {
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
      log.warn("cannot become a child subreaper, stopped agents may leave processes");
    }
  }

  /// Whether this process is a child subreaper.
  static boolean isThisProcess() {
    try (var arena = Arena.ofConfined()) {
      var value = arena.allocate(ValueLayout.JAVA_INT);
      return prctl(PR_GET_CHILD_SUBREAPER, value.address()) == 0
          && value.get(ValueLayout.JAVA_INT, 0) == 1;
    }
  }

  /// Collects the status of a child that has ended, so that it does not remain as a zombie.
  static void reap(long pid) {
    var _ =
        SystemCalls.call(
            "waitpid",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_INT),
            (int) pid,
            MemorySegment.NULL,
            WNOHANG);
  }

  private static int prctl(int option, long argument) {
    return (int)
        SystemCalls.call(
            "prctl",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG),
            option,
            argument,
            0L,
            0L,
            0L);
  }
}
