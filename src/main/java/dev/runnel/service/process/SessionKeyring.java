package dev.runnel.service.process;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.Optional;

/// Linux' session keyring, in which the kernel keeps keys such as Kerberos tickets. Processes
/// inherit the keyring of the thread that starts them, through every namespace. So they could read
/// the keys of this process, and exchange keys with each other.
final class SessionKeyring {
  private static final long JOIN = 1;

  /// The number of the system call `keyctl`, for which the C library has no function.
  private static final Map<String, Long> NUMBERS = Map.of("amd64", 250L, "aarch64", 219L);

  private SessionKeyring() {}

  /// Gives this thread an empty keyring, for the processes that it starts from now on. Other
  /// threads keep theirs. Does nothing where the system has no keyrings.
  static void renew() {
    Optional.ofNullable(NUMBERS.get(System.getProperty("os.arch")))
        .filter(_ -> System.getProperty("os.name").equals("Linux"))
        .ifPresent(
            number ->
                SystemCalls.call(
                    "syscall",
                    FunctionDescriptor.of(
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG),
                    number,
                    JOIN,
                    0L));
  }
}
