package dev.runnel.service.agent;

import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.workspace.PermissionRules;
import dev.runnel.wire.ModelProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// Starts one kind of agent and parses its output. The prompt is always passed on standard input,
/// so that it never appears in the process list.
///
/// Agents keep their sessions and logins in the usual places of a home folder: with isolation, a
/// home folder of the run with copies of the [#logins]; without, that of the user who runs Runnel.
/// So an agent that works on the command line works here. Runs without isolation do not interfere
/// with each other there, since each has its own workspace and session id.
public sealed interface Harness
    permits CommandAgent, ClaudeAgent, CodexAgent, GeminiAgent, OpencodeAgent {
  /// Parses the standard output of one execution, line by line. Not thread-safe.
  @FunctionalInterface
  interface OutputParser {
    List<AgentEvent> parse(String line);
  }

  /// `command`, `claude`, `codex`, `gemini`, `opencode` or `rehearsal`.
  String name();

  /// Writes the files that the agent needs and builds the command.
  ///
  /// @throws AgentRefused if the agent cannot do what the run requests
  Launch launch(ExecutionRequest executionRequest, LaunchFiles launchFiles) throws IOException;

  /// A [Dialogue] if the agent takes messages while it works.
  ///
  /// The parameters are those of [#launch].
  ///
  /// @throws AgentRefused if the agent cannot do what the run requests
  OutputParser outputParser(ExecutionRequest executionRequest, LaunchFiles launchFiles)
      throws AgentRefused;

  /// The folders and files outside the workspace and the home folder that the agent reads.
  default List<Path> readable(LaunchFiles launchFiles) {
    return List.of(launchFiles.folder());
  }

  /// The files that an isolated run gets copies of: what the agent needs to sign in, and its
  /// settings. Neither sessions nor histories, which belong to other runs.
  ///
  /// @param operator the operator's variables
  default List<LoginFile> logins(Map<String, String> operator) {
    return List.of();
  }

  /// Where the agent keeps its sessions in a home folder: files and folders with nothing else in
  /// them, in particular no login.
  default List<String> sessions() {
    return List.of();
  }

  /// The variables that move the agent's folders out of the home folder; isolated runs do not
  /// receive them.
  default List<String> movingVariables() {
    return List.of();
  }

  /// The operator's variables that the agent's login and settings need; see [AgentEnvironment].
  default List<String> variables() {
    return List.of();
  }

  /// The keys by which it signs in at providers of models. Isolated agents get placeholders.
  default List<ModelLogin> modelLogins() {
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

  /// Whether it asks before it uses a tool that [PermissionRules] name.
  default boolean asksForPermission() {
    return false;
  }

  /// Whether an exit status of 0 only counts as success together with [AgentEvent.Finished].
  default boolean tellsItsEnd() {
    return true;
  }
}
