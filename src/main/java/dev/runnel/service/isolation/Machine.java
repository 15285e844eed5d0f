package dev.runnel.service.isolation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What an isolation has to know of the machine.
///
/// @param environment the operator's variables, of which `PATH`, `HOME` and `JAVA_HOME` are used
/// @param hidden the data folder, and the files with settings and secrets
/// @param readable folders and files that agents may read, besides those of the system
/// @param homeFiles the files of the operator's home folder that each run gets a copy of
/// @param quotas what one agent may take
public record Machine(
    Map<String, String> environment,
    List<Path> hidden,
    List<Path> readable,
    List<String> homeFiles,
    Quotas quotas) {
  public Machine {
    environment = Map.copyOf(environment);
    hidden = hidden.stream().map(Path::toAbsolutePath).toList();
    readable = readable.stream().map(Path::toAbsolutePath).toList();
    homeFiles = List.copyOf(homeFiles);
  }

  /// With the usual quotas, and nothing but the system's folders and programs.
  public Machine(Map<String, String> environment, List<Path> hidden) {
    this(environment, hidden, List.of(), List.of(), Quotas.USUAL);
  }

  /// The operator's home folder.
  Optional<Path> home() {
    return variable("HOME").filter(path -> path.startsWith("/")).map(Path::of);
  }

  Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isBlank());
  }

  /// Where a command sees the hidden files and folders, unless they are covered.
  ///
  /// @param mounts what it sees of the machine: from the path that it sees to the real path on the
  ///   machine
  Set<Path> hiddenIn(Map<Path, Path> mounts) {
    var seen = new LinkedHashSet<Path>();
    for (var each : hidden) {
      var real = real(each);
      if (Files.exists(real)) {
        mounts.forEach(
            (where, what) -> {
              if (real.startsWith(what)) {
                seen.add(real.equals(what) ? where : where.resolve(what.relativize(real)));
              }
            });
      }
    }
    return seen;
  }

  /// Whether a file is among the programs and libraries of the system, which every isolation has.
  public static boolean isOfTheSystem(Path file) {
    return SystemFolders.contain(file) && SystemFolders.contain(real(file));
  }

  /// The path without links; the absolute one if it does not exist.
  static Path real(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException _) {
      return path.toAbsolutePath().normalize();
    }
  }

  /// Leaves out the values of variables.
  @Override
  public String toString() {
    return "Machine[hidden=%s, readable=%s]".formatted(hidden, readable);
  }
}
