package dev.runnel.service.workspace;

import java.nio.file.Path;
import java.util.Optional;

/// The result of preparing a workspace.
public sealed interface PreparedWorkspace {
  /// @param root the folder that the run may write to
  /// @param folder the agent's working directory: the repository if there is exactly one, else the
  ///   root
  /// @param fresh whether it was created now, rather than kept from an earlier execution
  /// @param skill the requested skill; only in a fresh workspace
  record Ready(Path root, Path folder, boolean fresh, Optional<Chosen> skill)
      implements PreparedWorkspace {}

  /// @param file its file in the workspace
  record Chosen(Skill skill, Path file) {}

  /// @param why the reason for people, with the output of the failed command
  record Failed(String why) implements PreparedWorkspace {}

  /// The start deadline has passed.
  ///
  /// @param during the activity at that time
  record Late(String during) implements PreparedWorkspace {}

  /// The run was cancelled, or the service stops.
  record Stopped() implements PreparedWorkspace {}
}
