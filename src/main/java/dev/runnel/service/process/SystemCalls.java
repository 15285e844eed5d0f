package dev.runnel.service.process;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Calls functions of the system's C library.
final class SystemCalls {
  private static final Logger log = LoggerFactory.getLogger(SystemCalls.class);
  private static final Set<String> VARIADIC = Set.of("prctl", "syscall");

  private SystemCalls() {}

  /// @param signature the signature declared by POSIX or Linux
  /// @return what the function returns; -1 if the system has no such function
  @SuppressWarnings("restricted")
  static Number call(String name, FunctionDescriptor signature, Object... arguments) {
    var linker = Linker.nativeLinker();
    var function = linker.defaultLookup().find(name);
    if (function.isEmpty()) {
      return -1;
    }
    var options =
        VARIADIC.contains(name)
            ? new Linker.Option[] {Linker.Option.firstVariadicArg(1)}
            : new Linker.Option[0];
    try {
      return (Number)
          linker.downcallHandle(function.get(), signature, options).invokeWithArguments(arguments);
    } catch (Throwable e) {
      log.warn("cannot call the system function={}", name, e);
      return -1;
    }
  }
}
