package dev.runnel.service.workspace;

import java.nio.file.Path;
import java.util.List;

/// The result of preparing a workspace.
public sealed interface PreparedWorkspace {
  /// @param root the folder that the run may write to
  /// @param folder the agent's working directory: the repository if there is exactly one, else the
  ///   root
  /// @param isNew whether it was newly created, not reused from an earlier execution
  /// @param skills the requested skills; only in a fresh workspace
  record Ready(Path root, Path folder, boolean isNew, List<SkillFile> skills)
      implements PreparedWorkspace {}

  /// @param file the skill's file in the workspace
  record SkillFile(Skill skill, Path file) {}

  /// @param why the reason for people, with the output of the failed command
  record Failed(String why) implements PreparedWorkspace {}

  /// The start deadline has passed.
  ///
  /// @param during the activity at that time
  record TimedOut(String during) implements PreparedWorkspace {}

  /// The run was cancelled, or the service stops.
  record Stopped() implements PreparedWorkspace {}
}
