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
/// Agents keep their sessions and credentials in the default locations of a home folder: with
/// isolation, a home folder of the run with copies of the [#loginFiles]; without, that of the user
/// who runs Runnel. So an agent that works on the command line works here. Runs without isolation
/// do not interfere with each other there, since each has its own workspace and session id.
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

  /// Whether the output is that of the agent's program alone, not of what it starts.
  default boolean speaksAlone() {
    return true;
  }

  /// The files that are copied into the home folder of an isolated run: the agent's credentials and
  /// settings. Sessions and histories are left out, because they belong to other runs.
  ///
  /// @param operator the operator's variables
  default List<LoginFile> loginFiles(Map<String, String> operator) {
    return List.of();
  }

  /// Where the agent keeps its sessions in a home folder: files and folders that contain nothing
  /// else, in particular no credentials.
  default List<String> sessionPaths() {
    return List.of();
  }

  /// The variables that set the location of the agent's folders. Isolated runs do not receive them,
  /// so that the folders are in the home folder of the run.
  default List<String> folderVariables() {
    return List.of();
  }

  /// The operator's variables that the agent's login and settings need; see [AgentEnvironment].
  default List<String> variables() {
    return List.of();
  }

  /// The keys with which it signs in to model providers. Isolated agents get placeholders.
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

  /// Whether it can ask for permission before it uses a tool that [PermissionRules] name.
  default boolean asksForPermission() {
    return false;
  }

  /// Whether an exit status of 0 only counts as success together with [AgentEvent.Finished].
  default boolean reportsCompletion() {
    return true;
  }
}
