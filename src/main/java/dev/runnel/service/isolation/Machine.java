package dev.runnel.service.isolation;

import dev.runnel.service.workspace.AgentUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The facts about the machine that an isolation needs.
///
/// @param environment the operator's variables, of which `PATH`, `HOME` and `JAVA_HOME` are used
/// @param hidden paths that agents must not see: the data folder, and the files with settings and
///   secrets
/// @param readable folders and files that agents may read, in addition to those of the system
/// @param homeFiles the files in the operator's home folder that are copied to each run, as
///   relative paths
/// @param quotas the resources that one agent may use
/// @param user the account of agents
public record Machine(
    Map<String, String> environment,
    List<Path> hidden,
    List<Path> readable,
    List<String> homeFiles,
    Quotas quotas,
    AgentUser user) {
  public Machine {
    environment = Map.copyOf(environment);
    hidden = hidden.stream().map(Path::toAbsolutePath).toList();
    readable = readable.stream().map(Path::toAbsolutePath).toList();
    homeFiles = List.copyOf(homeFiles);
  }

  /// With the default quotas and only the folders and programs of the system.
  public Machine(Map<String, String> environment, List<Path> hidden) {
    this(environment, hidden, List.of(), List.of(), Quotas.DEFAULT);
  }

  /// With the account of this process.
  public Machine(
      Map<String, String> environment,
      List<Path> hidden,
      List<Path> readable,
      List<String> homeFiles,
      Quotas quotas) {
    this(environment, hidden, readable, homeFiles, quotas, AgentUser.SAME);
  }

  public Machine with(AgentUser other) {
    return new Machine(environment, hidden, readable, homeFiles, quotas, other);
  }

  /// The operator's home folder.
  Optional<Path> home() {
    return variable("HOME").filter(path -> path.startsWith("/")).map(Path::of);
  }

  Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isBlank());
  }

  /// The paths at which a command would see the hidden files and folders, unless they are covered.
  ///
  /// @param mounts the mounted paths of the machine, by the path inside the isolation
  Set<Path> hiddenPaths(Map<Path, Path> mounts) {
    var paths = new LinkedHashSet<Path>();
    for (var each : hidden) {
      var real = real(each);
      if (Files.exists(real)) {
        mounts.forEach(
            (where, what) -> {
              if (real.startsWith(what)) {
                paths.add(real.equals(what) ? where : where.resolve(what.relativize(real)));
              }
            });
      }
    }
    return paths;
  }

  /// Whether a file belongs to the programs and libraries of the system, which are available in
  /// every isolation.
  public static boolean isSystemFile(Path file) {
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
