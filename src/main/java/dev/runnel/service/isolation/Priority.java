package dev.runnel.service.isolation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Puts the programs of runs behind Runnel: when memory runs out, the kernel ends them first, and
/// processors serve Runnel first.
public final class Priority {
  private static final Path OWN_SCORE = Path.of("/proc/self/oom_score_adj");
  private static final int ABOVE_RUNNEL = 500;
  private static final int MAX = 1000;

  /// Raising both needs no right. A machine without one of them starts the program as it is.
  private static final String SCRIPT =
      """
      echo "$1" 2> /dev/null > /proc/self/oom_score_adj; shift
      command -v nice > /dev/null && exec nice -n 5 "$@"
      exec "$@"
      """;

  private Priority() {}

  /// The kernel's `oom_score_adj` for programs of runs: at least 500, and 500 above that of this
  /// process if that is possible.
  public static String oomScore() {
    return Integer.toString(above(own()));
  }

  static int above(int own) {
    return Math.clamp((long) own + ABOVE_RUNNEL, ABOVE_RUNNEL, MAX);
  }

  /// A command that starts another one, in the same process.
  ///
  /// @return empty where the system has no such score
  public static List<String> command() {
    return Files.exists(OWN_SCORE) ? List.of("/bin/sh", "-c", SCRIPT, "sh", oomScore()) : List.of();
  }

  /// The kernel's `oom_score_adj` of this process; 0 where there is none.
  public static int own() {
    try {
      return Integer.parseInt(Files.readString(OWN_SCORE).strip());
    } catch (IOException | NumberFormatException _) {
      return 0;
    }
  }
}
