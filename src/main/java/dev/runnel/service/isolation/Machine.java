package dev.runnel.service.isolation;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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

  /// Leaves out the values of variables.
  @Override
  public String toString() {
    return "Machine[hidden=%s, readable=%s]".formatted(hidden, readable);
  }
}
