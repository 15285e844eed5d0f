package dev.runnel.service.workspace;

import java.nio.file.Path;
import java.util.Optional;

/// What became of the preparation of a workspace.
public sealed interface Prepared {
  /// @param root all that the run may write to
  /// @param folder where the agent starts: the repository where there is exactly one, else the root
  /// @param fresh whether it was made just now, not found from an earlier execution
  /// @param skill what the run asked for; only in a fresh one
  record Ready(Path root, Path folder, boolean fresh, Optional<Chosen> skill) implements Prepared {}

  /// @param file where it lies in the workspace
  record Chosen(Skill skill, Path file) {}

  /// @param why for people, with the failing command's own words
  record Failed(String why) implements Prepared {}

  /// The start deadline has passed.
  ///
  /// @param during what it was busy with
  record Late(String during) implements Prepared {}

  /// Somebody cancelled the run, or the service stops.
  record Stopped() implements Prepared {}
}
