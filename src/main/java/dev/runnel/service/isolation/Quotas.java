package dev.runnel.service.isolation;

import dev.runnel.service.run.Executables;
import dev.runnel.service.run.limit.Limits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// The resources of the machine that one agent may use.
///
/// @param memoryBytes maximum memory in bytes: of a whole container, or of each process in
///   bubblewrap
/// @param processes maximum number of processes and threads
/// @param cpus maximum number of processors, such as 1.5; only for containers
public record Quotas(long memoryBytes, long processes, double cpus) {
  /// No limit of processes.
  public static final long UNLIMITED_PROCESSES = Long.MAX_VALUE;

  /// No limit of processors.
  public static final double ALL_CPUS = Double.MAX_VALUE;

  private static final long GIB = 1L << 30;

  public static final Quotas DEFAULT = new Quotas(8 * GIB, 4096, ALL_CPUS);

  /// The options of `docker run` and `podman run`.
  List<String> containerOptions() {
    var options = new ArrayList<String>();
    if (memoryBytes != Limits.UNLIMITED) {
      // Without swap: the same for both together.
      options.addAll(List.of("--memory", memoryBytes + "b", "--memory-swap", memoryBytes + "b"));
    }
    if (processes != UNLIMITED_PROCESSES) {
      options.addAll(List.of("--pids-limit", Long.toString(processes)));
    }
    if (cpus < ALL_CPUS) {
      options.addAll(List.of("--cpus", String.format(Locale.ROOT, "%.2f", cpus)));
    }
    return options;
  }

  /// A command that starts another one with resource limits of the kernel, which the other one
  /// cannot raise again. It limits the size of the data, not of the address space, since runtimes
  /// reserve much more address space than they use.
  ///
  /// @param ownLimits the limits of this process, from [#limitsOfThisProcess()]: a lower limit is
  ///   kept, since it cannot be raised
  /// @return empty where the machine has no `prlimit`
  List<String> limitCommand(Map<String, String> environment, String ownLimits) {
    var prlimit = Executables.find("prlimit", environment);
    if (prlimit.isEmpty()) {
      return List.of();
    }
    var command = new ArrayList<>(List.of(prlimit.get().toString(), "--core=0"));
    if (memoryBytes <= hardLimit(ownLimits, "Max data size")) {
      command.add("--data=" + memoryBytes);
    }
    if (processes <= hardLimit(ownLimits, "Max processes")) {
      command.add("--nproc=" + processes);
    }
    command.add("--");
    return command;
  }

  /// @return the text of `/proc/self/limits`; empty where there is none
  static String limitsOfThisProcess() {
    try {
      return Files.readString(Path.of("/proc/self/limits"));
    } catch (IOException notLinux) {
      return "";
    }
  }

  /// @return `Long.MAX_VALUE - 1` if there is none, since `Long.MAX_VALUE` means no limit here
  private static long hardLimit(String ownLimits, String name) {
    return ownLimits
        .lines()
        .filter(line -> line.startsWith(name))
        .map(line -> line.substring(name.length()).strip().split(" +", -1)[1])
        .filter(hard -> !hard.equals("unlimited"))
        .map(Long::parseLong)
        .findFirst()
        .orElse(Long.MAX_VALUE - 1);
  }
}
