package dev.runnel.web;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/// How many files this process may have open, which bounds its connections.
final class FileLimit {
  private static final Path LIMITS = Path.of("/proc/self/limits");
  private static final Pattern OPEN_FILES = Pattern.compile("Max open files\\s++(\\S++)\\s.*+");

  /// What the JVM sets where there is no `/proc`.
  private static final long ELSEWHERE = 10_240;

  private FileLimit() {}

  static long ofThisProcess() {
    try {
      return of(Files.readAllLines(LIMITS));
    } catch (IOException noSuchFile) {
      return ELSEWHERE;
    }
  }

  /// @param lines of `/proc/self/limits`
  static long of(List<String> lines) {
    for (var line : lines) {
      var limit = OPEN_FILES.matcher(line);
      if (limit.matches()) {
        return limit.group(1).equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(limit.group(1));
      }
    }
    return ELSEWHERE;
  }
}
