package dev.runnel.service.process;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
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

  /// The system's C library has no such function.
  static final class MissingException extends Exception {
    private static final long serialVersionUID = 1;

    MissingException(String name) {
      super(name);
    }
  }

  /// What a function returned.
  ///
  /// @param error the `errno`, which has a meaning only if the value tells of a failure
  record Result(long value, int error) {}

  /// A function that is called often, or whose `errno` matters. Thread-safe.
  static final class Function {
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERROR =
        STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private final MethodHandle handle;

    private Function(MethodHandle handle) {
      this.handle = handle;
    }

    /// @param result a layout of an integer
    /// @throws MissingException if the system has no such function
    @SuppressWarnings("restricted")
    static Function of(String name, MemoryLayout result, MemoryLayout... parameters)
        throws MissingException {
      var linker = Linker.nativeLinker();
      var address = linker.defaultLookup().find(name);
      if (address.isEmpty()) {
        throw new MissingException(name);
      }
      return new Function(
          linker.downcallHandle(
              address.get(),
              FunctionDescriptor.of(result, parameters),
              Linker.Option.captureCallState("errno")));
    }

    Result call(Object... arguments) {
      try (var arena = Arena.ofConfined()) {
        var state = arena.allocate(STATE);
        var all = new Object[arguments.length + 1];
        all[0] = state;
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        var value = (Number) handle.invokeWithArguments(all);
        return new Result(value.longValue(), (int) ERROR.get(state, 0L));
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
