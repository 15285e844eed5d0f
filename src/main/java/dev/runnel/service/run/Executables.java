package dev.runnel.service.run;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// Finds programs on the `PATH` of an environment.
public final class Executables {
  private Executables() {}

  /// The first executable file with this name on the `PATH`.
  public static Optional<Path> find(String program, Map<String, String> environment) {
    return Pattern.compile(Pattern.quote(File.pathSeparator))
        .splitAsStream(environment.getOrDefault("PATH", ""))
        .filter(folder -> !folder.isBlank())
        .flatMap(folder -> path(folder, program).stream())
        .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
        .findFirst();
  }

  private static Optional<Path> path(String folder, String program) {
    try {
      return Optional.of(Path.of(folder, program));
    } catch (InvalidPathException _) {
      return Optional.empty();
    }
  }
}
