package dev.runnel.service.isolation;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// Finds the folders and files outside the system's folders that the programs on the `PATH` need.
final class ProgramFolders {
  private static final String MODULES = "node_modules";
  private static final int MAX_ENTRIES = 2000;

  private final Machine machine;
  private final Set<Path> found = new LinkedHashSet<>();

  private ProgramFolders(Machine machine) {
    this.machine = machine;
  }

  /// The folders of the `PATH` and of `JAVA_HOME`, with the installations that they belong to, and
  /// the programs that they link to. Leaves out every folder that contains the operator's home
  /// folder or a hidden path.
  static Set<Path> of(Machine machine) {
    var folders = new ProgramFolders(machine);
    machine.variable("JAVA_HOME").flatMap(ProgramFolders::path).ifPresent(folders::add);
    Pattern.compile(Pattern.quote(File.pathSeparator))
        .splitAsStream(machine.environment().getOrDefault("PATH", ""))
        .flatMap(each -> path(each).stream())
        .forEach(folders::search);
    return folders.found;
  }

  private void search(Path folder) {
    if (!Files.isDirectory(folder) || SystemFolders.contain(folder)) {
      return;
    }
    var modules = modules(folder);
    if (modules.isPresent()) {
      add(modules.get());
    } else {
      add(installation(folder).orElse(folder));
    }
    try (var entries = Files.list(folder)) {
      entries.filter(Files::isSymbolicLink).limit(MAX_ENTRIES).forEach(this::follow);
    } catch (IOException _) {
      // Its programs cannot be read, so they cannot be run.
    }
  }

  /// A program that is a link can be in any folder.
  private void follow(Path link) {
    try {
      var program = link.toRealPath();
      if (Files.isRegularFile(program)
          && Files.isExecutable(program)
          && !SystemFolders.contain(program)) {
        add(modules(program).orElse(program));
      }
    } catch (IOException _) {
      // The target of the link does not exist.
    }
  }

  private void add(Path path) {
    if (!isTooBroad(path) && Files.exists(path) && !SystemFolders.contain(path)) {
      found.add(path);
    }
  }

  private boolean isTooBroad(Path path) {
    return machine.home().filter(home -> contains(path, home)).isPresent()
        || machine.hidden().stream().anyMatch(each -> contains(path, each));
  }

  private static boolean contains(Path folder, Path other) {
    return Machine.real(other).startsWith(Machine.real(folder))
        || other.normalize().startsWith(folder.normalize());
  }

  /// The folder above `bin`, if it is that of one installation.
  private Optional<Path> installation(Path folder) {
    var above = folder.normalize().getParent();
    if (above == null
        || !folder.endsWith("bin")
        || machine.home().stream()
            .anyMatch(
                home ->
                    above.equals(home.resolve(".local")) || above.equals(home.resolve(".cargo")))
        || isTooBroad(above)) {
      return Optional.empty();
    }
    return Files.isDirectory(above.resolve("lib")) ? Optional.of(above) : Optional.empty();
  }

  /// The outermost `node_modules` that a path is in.
  private static Optional<Path> modules(Path path) {
    var root = path.getRoot();
    for (int i = 0; i < path.getNameCount(); i++) {
      if (path.getName(i).toString().equals(MODULES) && root != null) {
        return Optional.of(root.resolve(path.subpath(0, i + 1)));
      }
    }
    return Optional.empty();
  }

  private static Optional<Path> path(String text) {
    try {
      return Optional.of(Path.of(text)).filter(Path::isAbsolute);
    } catch (InvalidPathException _) {
      return Optional.empty();
    }
  }
}
