package dev.runnel.service.agent;

import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.wire.ModelProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// Starts one kind of agent and parses its output. The prompt is always passed on standard input,
/// so that it never appears in the process list.
///
/// Agents keep their sessions and logins in the usual places, in the home folder of the user that
/// runs Runnel. So an agent that works on the command line works here, and a session can be
/// continued on the command line. Runs do not interfere with each other there, since each has its
/// own workspace and session id.
public sealed interface Harness
    permits CommandAgent, ClaudeAgent, CodexAgent, GeminiAgent, OpencodeAgent {
  /// Parses the standard output of one execution, line by line. Not thread-safe.
  @FunctionalInterface
  interface OutputParser {
    List<AgentEvent> hear(String line);
  }

  /// `command`, `claude`, `codex`, `gemini`, `opencode` or `rehearsal`.
  String name();

  /// Writes the files that the agent needs and builds the command.
  ///
  /// @throws AgentRefused if the agent cannot do what the run requests
  Launch launch(ExecutionRequest executionRequest, LaunchFiles launchFiles) throws IOException;

  OutputParser outputParser();

  /// The folders and files outside the workspace that the agent reads and writes: its launch files,
  /// logins and sessions.
  default List<Path> places(LaunchFiles launchFiles) {
    return List.of(launchFiles.folder());
  }

  /// The operator's variables that the agent's login and settings need; see [AgentEnvironment].
  default List<String> variables() {
    return List.of();
  }

  /// The provider of its models; unknown if it supports several.
  default ModelProvider provider() {
    return ModelProvider.UNKNOWN;
  }

  /// Model names that are expected to remain valid in later versions of the agent.
  default List<String> models() {
    return List.of();
  }

  /// Whether an exit status of 0 only counts as success together with [AgentEvent.Finished].
  default boolean tellsItsEnd() {
    return true;
  }
}
