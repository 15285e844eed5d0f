package dev.runnel.service.agent;

import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.wire.ModelProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// How one kind of agent is started, and how its output is read. The prompt always goes through
/// standard input, so that it is never in the process list.
///
/// All keep their sessions and logins where they always do, in the home folder of who runs
/// Runnel: so an agent that works on the command line works here, and a session can be taken up
/// on the command line too. Runs do not meet there, since each has a workspace and a session name
/// of its own.
public sealed interface Harness
    permits CommandAgent, ClaudeAgent, CodexAgent, GeminiAgent, OpencodeAgent {
  /// Reads the standard output of one execution, line by line; not for several threads.
  @FunctionalInterface
  interface Ears {
    List<AgentEvent> hear(String line);
  }

  /// `command`, `claude`, `codex`, `gemini`, `opencode` or `rehearsal`.
  String name();

  /// Lays on the desk what the agent needs.
  ///
  /// @throws AgentRefused when the agent cannot do what the run asks for
  Launch launch(ExecutionRequest executionRequest, LaunchFiles launchFiles) throws IOException;

  Ears ears();

  /// The folders and files outside the workspace that the agent needs to read and write: what is
  /// on the desk, its logins and its sessions.
  default List<Path> places(LaunchFiles launchFiles) {
    return List.of(launchFiles.folder());
  }

  /// The operator's variables that its login and its settings need; see [AgentEnvironment].
  default List<String> variables() {
    return List.of();
  }

  /// Who makes its models; unknown where it takes those of several.
  default ModelProvider provider() {
    return ModelProvider.UNKNOWN;
  }

  /// The names of models that it will still know in its next version.
  default List<String> models() {
    return List.of();
  }

  /// Whether an exit status of 0 is only believed together with [AgentEvent.Finished].
  default boolean tellsItsEnd() {
    return true;
  }
}
