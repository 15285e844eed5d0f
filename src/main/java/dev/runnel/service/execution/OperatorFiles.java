package dev.runnel.service.execution;

import dev.runnel.service.workspace.GitIdentity;
import dev.runnel.service.workspace.RunHome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// The files of the operator's home folder that every isolated run gets: those that the settings
/// name, and the name for commits.
final class OperatorFiles {
  private static final String GIT_CONFIG = ".gitconfig";

  private OperatorFiles() {}

  /// Copies them, for setup commands and for the agent alike.
  static void copyTo(RunHome home, ServiceSettings settings) throws IOException {
    var operatorHome = Optional.ofNullable(settings.environment().get("HOME")).map(Path::of);
    if (operatorHome.isEmpty()) {
      return;
    }
    for (var file : settings.isolation().homeFiles()) {
      home.copy(operatorHome.get().resolve(file), file);
    }
    var identity = GitIdentity.of(operatorHome.get().resolve(GIT_CONFIG));
    if (identity.isPresent()) {
      home.write(GIT_CONFIG, identity.get());
    }
  }
}
