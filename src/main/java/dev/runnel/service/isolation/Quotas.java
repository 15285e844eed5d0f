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

/// What one agent may take of the machine.
///
/// @param memoryBytes of a container together; in a bubblewrap, of each process
/// @param processes processes and threads
/// @param cpus processors, such as 1.5; only for containers
public record Quotas(long memoryBytes, long processes, double cpus) {
  /// No limit of processes.
  public static final long ANY_NUMBER = Long.MAX_VALUE;

  /// No limit of processors.
  public static final double ALL_CPUS = Double.MAX_VALUE;

  private static final long GIB = 1L << 30;

  public static final Quotas USUAL = new Quotas(8 * GIB, 4096, ALL_CPUS);

  /// The options of `docker run` and `podman run`.
  List<String> options() {
    var options = new ArrayList<String>();
    if (memoryBytes != Limits.ENDLESS) {
      // Without swap: the same for both together.
      options.addAll(List.of("--memory", memoryBytes + "b", "--memory-swap", memoryBytes + "b"));
    }
    if (processes != ANY_NUMBER) {
      options.addAll(List.of("--pids-limit", Long.toString(processes)));
    }
    if (cpus < ALL_CPUS) {
      options.addAll(List.of("--cpus", String.format(Locale.ROOT, "%.2f", cpus)));
    }
    return options;
  }

  /// A command that starts another one within resource limits of the kernel, which it cannot raise
  /// again. Not the address space is limited but the data in it, since runtimes reserve much more
  /// of the former than they use.
  ///
  /// @param ownLimits of this process, as [#limitsOfThisProcess()] has them: where its own limit is
  ///   lower, that one stays, since it may not be raised
  /// @return empty where the machine has no `prlimit`
  List<String> prefix(Map<String, String> environment, String ownLimits) {
    var prlimit = Executables.find("prlimit", environment);
    if (prlimit.isEmpty()) {
      return List.of();
    }
    var prefix = new ArrayList<>(List.of(prlimit.get().toString(), "--core=0"));
    if (memoryBytes <= hardLimit(ownLimits, "Max data size")) {
      prefix.add("--data=" + memoryBytes);
    }
    if (processes <= hardLimit(ownLimits, "Max processes")) {
      prefix.add("--nproc=" + processes);
    }
    prefix.add("--");
    return prefix;
  }

  /// @return the text of `/proc/self/limits`; empty where there is none
  static String limitsOfThisProcess() {
    try {
      return Files.readString(Path.of("/proc/self/limits"));
    } catch (IOException notLinux) {
      return "";
    }
  }

  /// @return one below the highest number if there is none, since that stands for no limit here
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
