package dev.runnel.service;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// Which agent works on this machine.
final class Agents {
  private static final List<Harness> KNOWN =
      List.of(new ClaudeAgent(), new CodexAgent(), new GeminiAgent(), new OpencodeAgent());

  private Agents() {}

  /// The command if there is one, else the first known agent on the `PATH`, else the rehearsal.
  static Harness choose(Optional<String> command, Map<String, String> environment) {
    if (command.isPresent()) {
      return new CommandAgent("command", command.get());
    }
    return KNOWN.stream()
        .filter(agent -> find(agent.name(), environment).isPresent())
        .findFirst()
        .orElseGet(Rehearsal::agent);
  }

  /// Where a program is on the `PATH`.
  static Optional<Path> find(String program, Map<String, String> environment) {
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
