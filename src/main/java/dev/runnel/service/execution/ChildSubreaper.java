package dev.runnel.service.execution;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Linux' child subreaper: processes below this one whose parents have ended become its children,
/// instead of those of the first process of the machine. So they cannot hide from whoever looks for
/// them, whatever they do to their environment, session and parents.
///
/// The state is the kernel's. Other systems have no such thing.
public final class ChildSubreaper {
  private static final Logger log = LoggerFactory.getLogger(ChildSubreaper.class);
  private static final int PR_SET_CHILD_SUBREAPER = 36;
  private static final int PR_GET_CHILD_SUBREAPER = 37;
  private static final int WNOHANG = 1;

  private ChildSubreaper() {}

  /// Makes this process one, which must start all its children by a [Spawner] from then on.
  public static void become() {
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
      log.warn("this process cannot be a child subreaper, stopped agents may leave processes");
    }
  }

  /// Whether this process is one.
  static boolean isThisProcess() {
    try (var arena = Arena.ofConfined()) {
      var is = arena.allocate(ValueLayout.JAVA_INT);
      return prctl(PR_GET_CHILD_SUBREAPER, is.address()) == 0
          && is.get(ValueLayout.JAVA_INT, 0) == 1;
    }
  }

  /// Collects the status of a child that has ended, so that it vanishes.
  static void reap(long pid) {
    var _ =
        call(
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
    return call(
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

  /// @return -1 if it fails, or if the system has no such function
  @SuppressWarnings(
      "restricted") // the shapes of these functions are as declared by POSIX and Linux
  private static int call(String name, FunctionDescriptor shape, Object... arguments) {
    var linker = Linker.nativeLinker();
    var function = linker.defaultLookup().find(name);
    if (function.isEmpty()) {
      return -1;
    }
    var options =
        name.equals("prctl")
            ? new Linker.Option[] {Linker.Option.firstVariadicArg(1)}
            : new Linker.Option[0];
    try {
      return (int)
          linker.downcallHandle(function.get(), shape, options).invokeWithArguments(arguments);
    } catch (Throwable e) {
      log.warn("cannot call the system function={}", name, e);
      return -1;
    }
  }
}
