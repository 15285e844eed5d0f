package dev.runnel.service.agent;

import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.wire.ModelProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// Codex as an `app-server`, which accepts messages while it works. Where standard input is closed
/// after the start, `exec --json` is used instead, with the same sessions.
///
/// The sandbox is set by `-c` because `exec resume` does not accept `-s`.
record CodexAgent() implements Harness {
  private static final String HOME = "CODEX_HOME";

  /// Without this setting, Codex would refuse the tools of MCP servers in its sandbox, because no
  /// person can approve them.
  static final String TOOLS_APPROVAL = "default_tools_approval_mode";

  @Override
  public String name() {
    return "codex";
  }

  @Override
  public Launch launch(ExecutionRequest executionRequest, LaunchFiles launchFiles)
      throws IOException {
    var command = new ArrayList<>(List.of("codex"));
    command.addAll(
        launchFiles.isInputOpen()
            ? List.of("app-server")
            : List.of("exec", "--json", "--skip-git-repo-check"));
    command.addAll(List.of("-c", "approval_policy=never"));
    settings(launchFiles).forEach(setting -> command.addAll(List.of("-c", setting)));
    // Codex ignores the variable.
    launchFiles
        .variable("OPENAI_BASE_URL")
        .ifPresent(url -> command.addAll(List.of("-c", "openai_base_url=" + quote(url))));
    if (launchFiles.isInputOpen()) {
      var key = launchFiles.variable("CODEX_API_KEY");
      if (key.isPresent()) {
        command.addAll(List.of("-c", "cli_auth_credentials_store=ephemeral"));
      }
      return new Launch(command, CodexConversation.handshake(key), Map.of());
    }
    var profile = profile(executionRequest);
    if (!profile.isEmpty()) {
      // Codex reads profiles only from its home folder.
      var name = "runnel-" + executionRequest.runId();
      launchFiles.write(home(launchFiles), name + ".config.toml", profile);
      command.add("--profile=" + name);
    }
    executionRequest.modelId().ifPresent(model -> command.add("--model=" + model));
    executionRequest
        .reasoningLevel()
        .ifPresent(
            level -> command.addAll(List.of("-c", "model_reasoning_effort=" + quote(level))));
    executionRequest
        .agentSession()
        .ifPresent(session -> command.addAll(List.of("resume", session)));
    command.add("-");
    return new Launch(command, executionRequest.prompt(), Map.of());
  }

  /// By default, its sandbox blocks the network and protects the `.git` folder, so that no agent
  /// could commit or push.
  private static List<String> settings(LaunchFiles launchFiles) {
    return switch (launchFiles.access()) {
      case WORKSPACE ->
          List.of(
              "sandbox_mode=" + sandboxMode(launchFiles),
              "sandbox_workspace_write.network_access=true",
              "sandbox_workspace_write.writable_roots="
                  + ServiceJson.write(List.of(launchFiles.workspace().resolve(".git").toString())));
      case FULL -> List.of("sandbox_mode=" + sandboxMode(launchFiles));
    };
  }

  private static String sandboxMode(LaunchFiles launchFiles) {
    return switch (launchFiles.access()) {
      case WORKSPACE -> "workspace-write";
      case FULL -> "danger-full-access";
    };
  }

  @Override
  public List<String> variables() {
    return List.of("OPENAI_*", "CODEX_*");
  }

  @Override
  public List<LoginFile> loginFiles(Map<String, String> operator) {
    return LoginFile.in(operator, HOME, ".codex", "auth.json", "config.toml", "AGENTS.md");
  }

  @Override
  public List<String> sessionPaths() {
    return List.of(".codex/sessions");
  }

  @Override
  public List<String> folderVariables() {
    return List.of(HOME);
  }

  private static Path home(LaunchFiles launchFiles) {
    return launchFiles.variable(HOME).map(Path::of).orElse(launchFiles.home().resolve(".codex"));
  }

  /// Writes the TOML profile. JSON strings are valid TOML strings.
  private static String profile(ExecutionRequest executionRequest) throws IOException {
    var profile = new StringBuilder();
    executionRequest
        .basePrompt()
        .ifPresent(
            text -> profile.append("developer_instructions = ").append(quote(text)).append('\n'));
    for (var server : ToolServer.of(executionRequest)) {
      profile.append("[mcp_servers.").append(server.name()).append("]\n");
      profile.append(TOOLS_APPROVAL).append(" = \"approve\"\n");
      switch (server) {
        case ToolServer.Local local ->
            profile
                .append("command = ")
                .append(quote(local.command()))
                .append("\nargs = ")
                .append(ServiceJson.write(local.args()))
                .append("\nenv = ")
                .append(table(local.env()));
        case ToolServer.Remote remote ->
            profile
                .append("url = ")
                .append(quote(remote.url()))
                .append("\nhttp_headers = ")
                .append(table(remote.headers()));
      }
      profile.append('\n');
    }
    return profile.toString();
  }

  private static String table(Map<String, String> entries) {
    return entries.entrySet().stream()
        .map(entry -> quote(entry.getKey()) + " = " + quote(entry.getValue()))
        .collect(Collectors.joining(", ", "{ ", " }"));
  }

  private static String quote(String text) {
    return ServiceJson.write(text).replace("\u007f", "\\u007f");
  }

  @Override
  public List<ModelLogin> modelLogins() {
    return List.of(ModelLogin.OPENAI);
  }

  @Override
  public ModelProvider provider() {
    return ModelProvider.OPENAI;
  }

  @Override
  public Dialogue outputParser(ExecutionRequest executionRequest, LaunchFiles launchFiles)
      throws AgentRefused {
    return new CodexConversation(executionRequest, sandboxMode(launchFiles));
  }
}
