package dev.runnel.service.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.run.Usage;
import dev.runnel.wire.ModelProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// Codex with `exec --json`. The sandbox is set by `-c` because `resume` does not accept `-s`.
record CodexAgent() implements Harness {
  private static final String HOME = "CODEX_HOME";

  @Override
  public String name() {
    return "codex";
  }

  @Override
  public Launch launch(ExecutionRequest executionRequest, LaunchFiles launchFiles)
      throws IOException {
    var command =
        new ArrayList<>(
            List.of(
                "codex", "exec", "--json", "--skip-git-repo-check", "-c", "approval_policy=never"));
    settings(launchFiles).forEach(setting -> command.addAll(List.of("-c", setting)));
    // It ignores the variable.
    launchFiles
        .variable("OPENAI_BASE_URL")
        .ifPresent(url -> command.addAll(List.of("-c", "openai_base_url=" + quote(url))));
    var profile = profile(executionRequest);
    if (!profile.isEmpty()) {
      // Codex reads profiles only from its home folder.
      var name = "runnel-" + executionRequest.runId();
      launchFiles.lay(home(launchFiles), name + ".config.toml", profile);
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
              "sandbox_mode=workspace-write",
              "sandbox_workspace_write.network_access=true",
              "sandbox_workspace_write.writable_roots="
                  + ServiceJson.write(List.of(launchFiles.workspace().resolve(".git").toString())));
      case FULL -> List.of("sandbox_mode=danger-full-access");
    };
  }

  @Override
  public List<String> variables() {
    return List.of("OPENAI_*", "CODEX_*");
  }

  @Override
  public List<LoginFile> logins(Map<String, String> operator) {
    return LoginFile.in(operator, HOME, ".codex", "auth.json", "config.toml", "AGENTS.md");
  }

  @Override
  public List<String> sessions() {
    return List.of(".codex/sessions");
  }

  @Override
  public List<String> movingVariables() {
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
  public OutputParser outputParser() {
    return line -> {
      var event = JsonLines.parse(line);
      return switch (event.path("type").asText()) {
        case "thread.started" -> List.of(new AgentEvent.Session(event.path("thread_id").asText()));
        case "item.started" -> started(event.path("item"));
        case "item.updated" -> planned(event.path("item"));
        case "item.completed" -> completed(event.path("item"));
        case "turn.completed" -> List.of(used(event.path("usage")), new AgentEvent.Finished());
        // Not final: Codex may retry.
        case "error" -> List.of(new AgentEvent.Status(event.path("message").asText()));
        case "turn.failed" ->
            List.of(new AgentEvent.Failure(event.path("error").path("message").asText()));
        default -> List.of();
      };
    };
  }

  private static List<AgentEvent> started(JsonNode item) {
    return switch (item.path("type").asText()) {
      case "command_execution" -> List.of(JsonLines.did("shell", item));
      case "mcp_tool_call" ->
          List.of(
              JsonLines.did(
                  item.path("server").asText() + "." + item.path("tool").asText(),
                  item.path("arguments")));
      case "web_search" -> List.of(new AgentEvent.Did("web search", item.path("query").asText()));
      case "todo_list" -> planned(item);
      default -> List.of();
    };
  }

  private static List<AgentEvent> completed(JsonNode item) {
    return switch (item.path("type").asText()) {
      case "agent_message" -> {
        var text = item.path("text").asText();
        yield List.of(new AgentEvent.Said(text), new AgentEvent.Answer(text));
      }
      case "command_execution" ->
          List.of(
              new AgentEvent.Ran(
                  JsonLines.did("", item).given(),
                  Optional.of(item.path("exit_code")).filter(JsonNode::isInt).map(JsonNode::asInt)),
              new AgentEvent.Result(
                  item.path("aggregated_output").asText(), item.path("exit_code").asInt() != 0));
      case "mcp_tool_call" ->
          List.of(
              new AgentEvent.Result(
                  String.join("\n", item.path("result").findValuesAsText("text")),
                  item.path("status").asText().equals("failed")));
      case "file_change" -> changes(item.path("changes"));
      case "todo_list" -> planned(item);
      default -> List.of();
    };
  }

  private static List<AgentEvent> changes(JsonNode changes) {
    var sayings = new ArrayList<AgentEvent>();
    for (var change : changes) {
      var path = change.path("path").asText();
      var kind = change.path("kind").asText();
      sayings.add(new AgentEvent.Did(kind, path));
      if (kind.equals("add")) {
        sayings.add(new AgentEvent.Wrote(path));
      }
    }
    return sayings;
  }

  private static List<AgentEvent> planned(JsonNode item) {
    return item.path("type").asText().equals("todo_list")
        ? List.of(JsonLines.plan(item.path("items"), "text"))
        : List.of();
  }

  private static AgentEvent used(JsonNode usage) {
    return new AgentEvent.Used(
        new Usage(
            usage.path("input_tokens").asLong(),
            usage.path("output_tokens").asLong(),
            Optional.empty(),
            true));
  }
}
