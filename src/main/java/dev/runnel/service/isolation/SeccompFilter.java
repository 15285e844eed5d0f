package dev.runnel.service.isolation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A filter of system calls, which refuses to attach to a running process and to take its memory or
/// its open files. So what an agent starts cannot act as the agent. A debugger can still start the
/// program that it examines. Empty on processors that are not listed here. Thread-safe.
final class SeccompFilter {
  /// The numbers of the refused calls on one architecture of a processor.
  private record Architecture(int audit, int ptrace, List<Integer> others) {}

  private static final int PIDFD_GETFD = 438;

  /// By `os.arch`; each with the one of its 32-bit programs.
  private static final Map<String, List<Architecture>> ARCHITECTURES =
      Map.of(
          "amd64",
          List.of(
              new Architecture(0xC000003E, 101, List.of(310, 311, PIDFD_GETFD)),
              new Architecture(0x40000003, 26, List.of(347, 348, PIDFD_GETFD))),
          "aarch64",
          List.of(
              new Architecture(0xC00000B7, 117, List.of(270, 271, PIDFD_GETFD)),
              new Architecture(0x40000028, 26, List.of(376, 377, PIDFD_GETFD))));

  /// `PTRACE_ATTACH`, `PTRACE_SEIZE`.
  private static final List<Integer> ATTACHING = List.of(16, 0x4206);

  // Offsets in `struct seccomp_data`, little endian.
  private static final int NUMBER = 0;
  private static final int ARCHITECTURE = 4;
  private static final int FIRST_ARGUMENT = 16;

  /// The bit of the calls of the x32 interface, which are refused altogether.
  private static final int X32 = 0x40000000;

  // Of `struct sock_filter`.
  private static final int LOAD = 0x20;
  private static final int IF_EQUAL = 0x15;
  private static final int IF_AT_LEAST = 0x35;
  private static final int RETURN = 0x06;
  private static final int INSTRUCTION_BYTES = 8;

  private static final int ALLOW = 0x7fff0000;
  private static final int REFUSE = 0x00050000 | 1; // EPERM

  private static final int DESCRIPTOR = 9;

  // Guarded by this.
  private @Nullable Path file;

  /// Starts another command with the filter open as a file descriptor.
  List<String> command() {
    return isKnown()
        ? List.of(
            "/bin/sh",
            "-c",
            "filter=$1; shift; exec \"$@\" %d< \"$filter\"".formatted(DESCRIPTOR),
            "sh",
            file().toString())
        : List.of();
  }

  /// The options with which bubblewrap, started by that command, applies it.
  List<String> options() {
    return isKnown() ? List.of("--seccomp", Integer.toString(DESCRIPTOR)) : List.of();
  }

  /// The number of the call `ptrace` on this processor; -1 if that is not known.
  static int ptrace() {
    return ofThisMachine().stream().mapToInt(Architecture::ptrace).findFirst().orElse(-1);
  }

  /// The number of the call `process_vm_readv` on this processor; -1 if that is not known.
  static int readMemory() {
    return ofThisMachine().stream().mapToInt(it -> it.others.getFirst()).findFirst().orElse(-1);
  }

  private static List<Architecture> ofThisMachine() {
    return ARCHITECTURES.getOrDefault(System.getProperty("os.arch"), List.of());
  }

  private static boolean isKnown() {
    return !ofThisMachine().isEmpty();
  }

  /// Written anew if it was deleted, since the folder of temporary files is cleaned up.
  private synchronized Path file() {
    try {
      if (file == null || !Files.exists(file)) {
        file = Files.createTempFile("runnel-", ".seccomp");
        file.toFile().deleteOnExit();
        Files.write(file, program(System.getProperty("os.arch")));
      }
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException("The filter of system calls cannot be written", e);
    }
  }

  /// The instructions, as the kernel reads them.
  ///
  /// @param processor a key of [#ARCHITECTURES]
  static byte[] program(String processor) {
    var all = new ArrayList<byte[]>();
    for (var each : ARCHITECTURES.getOrDefault(processor, List.of())) {
      var ofArchitecture = instructions(each);
      all.add(instruction(LOAD, 0, 0, ARCHITECTURE));
      all.add(instruction(IF_EQUAL, 0, ofArchitecture.size(), each.audit));
      all.addAll(ofArchitecture);
    }
    // No other architecture runs on this processor.
    all.add(instruction(RETURN, 0, 0, REFUSE));
    var bytes = ByteBuffer.allocate(all.size() * INSTRUCTION_BYTES);
    all.forEach(bytes::put);
    return bytes.array();
  }

  private static List<byte[]> instructions(Architecture architecture) {
    var all = new ArrayList<byte[]>();
    all.add(instruction(LOAD, 0, 0, NUMBER));
    for (var each : architecture.others) {
      all.add(instruction(IF_EQUAL, 0, 1, each));
      all.add(instruction(RETURN, 0, 0, REFUSE));
    }
    all.add(instruction(IF_AT_LEAST, 0, 1, X32));
    all.add(instruction(RETURN, 0, 0, REFUSE));
    all.add(instruction(IF_EQUAL, 1, 0, architecture.ptrace));
    all.add(instruction(RETURN, 0, 0, ALLOW));
    all.add(instruction(LOAD, 0, 0, FIRST_ARGUMENT));
    for (var each : ATTACHING) {
      all.add(instruction(IF_EQUAL, 0, 1, each));
      all.add(instruction(RETURN, 0, 0, REFUSE));
    }
    all.add(instruction(RETURN, 0, 0, ALLOW));
    return all;
  }

  /// @param ifTrue number of instructions to skip if a condition holds
  /// @param ifFalse the same, if it does not
  private static byte[] instruction(int code, int ifTrue, int ifFalse, int value) {
    return ByteBuffer.allocate(INSTRUCTION_BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putShort((short) code)
        .put((byte) ifTrue)
        .put((byte) ifFalse)
        .putInt(value)
        .array();
  }
}
