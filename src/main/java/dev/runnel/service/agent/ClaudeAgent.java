package dev.runnel.service.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.run.ToolCall;
import dev.runnel.service.run.Usage;
import dev.runnel.service.workspace.PermissionRules;
import dev.runnel.wire.ModelProvider;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/// Claude Code in print mode, with `stream-json` input and output. While it works, it reads
/// messages before its next step, and echoes each on its output when it has read it.
record ClaudeAgent() implements Harness {
  private static final Pattern EXIT = Pattern.compile("Exit code (\\d{1,3})\\b");
  private static final String CONFIG_DIR = "CLAUDE_CONFIG_DIR";

  /// Tools that need a person to answer.
  private static final String INTERACTIVE_TOOLS = "AskUserQuestion,EnterPlanMode,ExitPlanMode";

  /// The reasons of permission requests that are passed to a person: a rule applies to the call, or
  /// to a part of a command. Claude Code also requests permission for what it would otherwise
  /// refuse itself, such as access to files outside the workspace.
  private static final Set<String> RULE_REASONS = Set.of("rule", "subcommandResults");

  private static final String SUCCESS = "success";

  /// Begins an error that is for the developers of Claude Code.
  private static final String DIAGNOSTIC = "[ede_diagnostic]";

  private static final Pattern TRUNCATED_REQUEST =
      Pattern.compile("\\{\"type\":\"control_request\",\"request_id\":\"([A-Za-z0-9-]{1,100})\".*");

  @Override
  public String name() {
    return "claude";
  }

  @Override
  public Launch launch(ExecutionRequest executionRequest, LaunchFiles launchFiles)
      throws IOException {
    var command =
        new ArrayList<>(
            List.of(
                "claude",
                "-p",
                "--output-format",
                "stream-json",
                "--verbose",
                "--input-format",
                "stream-json",
                "--replay-user-messages"));
    executionRequest.modelId().ifPresent(model -> command.add("--model=" + model));
    executionRequest.reasoningLevel().ifPresent(level -> command.add("--effort=" + level));
    executionRequest
        .agentSession()
        .map(session -> "--resume=" + session)
        .or(() -> executionRequest.newSession().map(session -> "--session-id=" + session))
        .ifPresent(command::add);
    if (executionRequest.basePrompt().isPresent()) {
      // A resumed session does not keep the appended system prompt.
      var file = launchFiles.write("claude-base-prompt.txt", executionRequest.basePrompt().get());
      command.add("--append-system-prompt-file=" + file);
    }
    launchFiles.attached().ifPresent(folder -> command.add("--add-dir=" + folder));
    var servers = ToolServer.of(executionRequest);
    if (!servers.isEmpty()) {
      command.add("--mcp-config=" + launchFiles.write("claude-tools.json", config(servers)));
    }
    if (!launchFiles.permissionRules().isEmpty()) {
      var settings = launchFiles.write("claude-rules.json", rules(launchFiles.permissionRules()));
      command.add("--settings=" + settings);
      command.add("--permission-prompt-tool=stdio");
      command.add("--disallowedTools=" + INTERACTIVE_TOOLS);
    }
    return switch (launchFiles.access()) {
      case WORKSPACE -> {
        command.add("--permission-mode=acceptEdits");
        command.add("--allowedTools=" + allowed(servers));
        yield new Launch(command, message(executionRequest.prompt()).toString() + "\n", Map.of());
      }
      case FULL -> {
        command.add("--permission-mode=bypassPermissions");
        // As root, Claude Code refuses to bypass permissions unless this variable is set.
        yield new Launch(
            command,
            message(executionRequest.prompt()).toString() + "\n",
            Map.of("IS_SANDBOX", "1"));
      }
    };
  }

  @Override
  public List<String> variables() {
    return List.of("ANTHROPIC_*", "CLAUDE_*");
  }

  /// Not `.claude.json`: it holds the prompts of all projects.
  @Override
  public List<LoginFile> loginFiles(Map<String, String> operator) {
    return LoginFile.in(
        operator, CONFIG_DIR, ".claude", ".credentials.json", "settings.json", "CLAUDE.md");
  }

  @Override
  public List<String> sessionPaths() {
    return List.of(".claude/projects");
  }

  @Override
  public List<String> folderVariables() {
    return List.of(CONFIG_DIR);
  }

  private static String allowed(List<ToolServer> servers) {
    var tools =
        new ArrayList<>(List.of("Bash", "Edit", "Write", "NotebookEdit", "WebFetch", "WebSearch"));
    servers.forEach(server -> tools.add("mcp__" + server.name()));
    return String.join(",", tools);
  }

  /// Rules to ask take precedence over rules that allow, also over those in other settings files.
  private static String rules(PermissionRules permissionRules) {
    var settings = ServiceJson.newObject();
    permissionRules.ask().forEach(settings.putObject("permissions").putArray("ask")::add);
    return settings.toString();
  }

  @Override
  public boolean asksForPermission() {
    return true;
  }

  private static String config(List<ToolServer> servers) {
    var config = ServiceJson.newObject();
    var all = config.putObject("mcpServers");
    for (var server : servers) {
      var entry = all.putObject(server.name());
      switch (server) {
        case ToolServer.Local local -> {
          entry.put("type", "stdio").put("command", local.command());
          local.args().forEach(entry.putArray("args")::add);
          entry.set("env", ServiceJson.object(local.env()));
        }
        case ToolServer.Remote remote -> {
          entry.put("type", remote.isEventStream() ? "sse" : "http").put("url", remote.url());
          entry.set("headers", ServiceJson.object(remote.headers()));
        }
      }
    }
    return config.toString();
  }

  @Override
  public List<ModelLogin> modelLogins() {
    return List.of(ModelLogin.ANTHROPIC);
  }

  @Override
  public ModelProvider provider() {
    return ModelProvider.ANTHROPIC;
  }

  @Override
  public List<String> models() {
    return List.of("sonnet", "opus", "haiku");
  }

  private static ObjectNode message(String text) {
    var line = ServiceJson.newObject().put("type", "user");
    line.putObject("message")
        .put("role", "user")
        .putArray("content")
        .addObject()
        .put("type", "text")
        .put("text", text);
    return line;
  }

  @Override
  public Dialogue.WithPermissions outputParser(
      ExecutionRequest executionRequest, LaunchFiles launchFiles) {
    return new Conversation();
  }

  private static final class Conversation implements Dialogue.WithPermissions {
    // The running commands by the id of their tool call, because results may arrive in another
    // order.
    private final Map<String, String> commands = new RunningCommands();
    // The cost reported so far, because each result reports the total.
    private BigDecimal reported = BigDecimal.ZERO;
    private final LastMessage lastMessage = new LastMessage("");
    // Whether the agent reported success and has done nothing since.
    private boolean hasFinished;

    @Override
    public Optional<String> message(String id, String text) {
      return Optional.of(ClaudeAgent.message(text).put("uuid", id).toString());
    }

    @Override
    public Optional<PermissionRequest> permissionRequest(String line) {
      if (!line.contains("control_request")) {
        return Optional.empty();
      }
      var event = JsonLines.parse(line);
      if (event.isMissingNode()) {
        // The line was truncated at the maximum length. Without a response, the agent would wait
        // forever.
        var truncated = TRUNCATED_REQUEST.matcher(line);
        return truncated.matches()
            ? Optional.of(new PermissionRequest(truncated.group(1), Optional.empty()))
            : Optional.empty();
      }
      var request = event.path("request");
      if (!event.path("type").asText().equals("control_request")
          || !request.path("subtype").asText().equals("can_use_tool")) {
        return Optional.empty();
      }
      var id = event.path("request_id").asText();
      if (!JsonLines.isId(id)) {
        return Optional.empty();
      }
      var isByRule = RULE_REASONS.contains(request.path("decision_reason_type").asText());
      return Optional.of(
          new PermissionRequest(
              id,
              isByRule && request.path("input") instanceof ObjectNode input
                  ? Optional.of(new ToolCall(request.path("tool_name").asText(), input))
                  : Optional.empty()));
    }

    @Override
    public String permit(String request, ToolCall call) {
      var decision = ServiceJson.newObject().put("behavior", "allow");
      decision.set("updatedInput", call.input());
      return response(request, decision);
    }

    @Override
    public String refuse(String request, String why, boolean interrupts) {
      return response(
          request,
          ServiceJson.newObject()
              .put("behavior", "deny")
              .put("message", why)
              .put("interrupt", interrupts));
    }

    private static String response(String request, ObjectNode decision) {
      var line = ServiceJson.newObject().put("type", "control_response");
      line.putObject("response")
          .put("subtype", "success")
          .put("request_id", request)
          .set("response", decision);
      return line.toString();
    }

    @Override
    public List<AgentEvent> parse(String line) {
      var event = JsonLines.parse(line);
      return event.hasNonNull("parent_tool_use_id") ? subagent(event) : agent(event);
    }

    private List<AgentEvent> subagent(JsonNode event) {
      var content = event.path("message").path("content");
      return AgentEvent.OfSubagent.all(
          switch (event.path("type").asText()) {
            case "assistant" -> said(content);
            case "user" -> results(content, commands);
            default -> List.of();
          });
    }

    private List<AgentEvent> agent(JsonNode event) {
      return switch (event.path("type").asText()) {
        case "system" -> system(event);
        case "assistant" -> {
          hasFinished = false;
          keep(event.path("message"));
          yield said(event.path("message").path("content"));
        }
        case "user" -> {
          if (event.path("isReplay").asBoolean()) {
            hasFinished = false;
            yield List.of(new AgentEvent.MessageRead(event.path("uuid").asText()));
          }
          yield results(event.path("message").path("content"), commands);
        }
        case "result" ->
            result(event, sinceLastReport(Usage.dollars(event.path("total_cost_usd"))));
        default -> List.of();
      };
    }

    private void keep(JsonNode message) {
      for (var part : message.path("content")) {
        if (part.path("type").asText().equals("text")) {
          lastMessage.add(message.path("id").asText(), part.path("text").asText());
        }
      }
    }

    private List<AgentEvent> said(JsonNode content) {
      var events = new ArrayList<AgentEvent>();
      for (var part : content) {
        switch (part.path("type").asText()) {
          case "text" -> events.add(new AgentEvent.Message(part.path("text").asText()));
          case "tool_use" -> {
            var tool = part.path("name").asText();
            var input = part.path("input");
            var toolUse = JsonLines.toolUse(tool, input);
            events.add(toolUse);
            switch (tool) {
              case "TodoWrite" -> events.add(JsonLines.plan(input.path("todos"), "content"));
              case "ExitPlanMode" -> events.add(new AgentEvent.Plan(input.path("plan").asText()));
              case "Bash" -> {
                var id = part.path("id").asText();
                if (JsonLines.isId(id)) {
                  commands.put(id, toolUse.input());
                }
              }
              case "Write" ->
                  events.add(new AgentEvent.FileWritten(input.path("file_path").asText()));
              default -> {}
            }
          }
          default -> {}
        }
      }
      return events;
    }

    /// @param dollars the cost since the last result
    private List<AgentEvent> result(JsonNode event, Optional<BigDecimal> dollars) {
      var events = new ArrayList<AgentEvent>();
      events.add(usageReport(event.path("usage"), dollars));
      var failure = failure(event);
      if (failure.isPresent()) {
        events.add(
            hasFinished && event.path("num_turns").asInt(1) == 0
                ? new AgentEvent.LateError(failure.get())
                : new AgentEvent.Failure(failure.get()));
      } else {
        var text = answer(event.path("result").asText());
        if (!text.isBlank()) {
          events.add(new AgentEvent.Answer(text));
        }
        events.add(new AgentEvent.Finished());
        hasFinished = true;
      }
      lastMessage.clear();
      return events;
    }

    /// The result can be empty or only a piece of the last message.
    private String answer(String result) {
      var message = lastMessage.text();
      return message.contains(result.strip()) ? message : result;
    }

    /// A smaller total takes nothing back.
    private Optional<BigDecimal> sinceLastReport(Optional<BigDecimal> dollars) {
      var more = dollars.map(all -> all.subtract(reported)).filter(added -> added.signum() > 0);
      more.ifPresent(added -> reported = reported.add(added));
      return more;
    }
  }

  /// Forgets the oldest ones if too many do not end.
  private static final class RunningCommands extends LinkedHashMap<String, String> {
    private static final long serialVersionUID = 1;
    private static final int MAX = 200;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
      return size() > MAX;
    }
  }

  private static List<AgentEvent> system(JsonNode event) {
    return switch (event.path("subtype").asText()) {
      case "init" -> List.of(new AgentEvent.Session(event.path("session_id").asText()));
      case "api_retry" ->
          List.of(
              new AgentEvent.Status(
                  "The model does not answer (%s), trying again: %d of %d"
                      .formatted(
                          event.path("error_status").asText("no connection"),
                          event.path("attempt").asInt(),
                          event.path("max_retries").asInt())));
      default -> List.of();
    };
  }

  private static List<AgentEvent> results(JsonNode content, Map<String, String> commands) {
    var events = new ArrayList<AgentEvent>();
    for (var part : content) {
      if (part.path("type").asText().equals("tool_result")) {
        var output = part.path("content");
        var text =
            output.isTextual()
                ? output.asText()
                : output.findValuesAsText("text").stream().collect(Collectors.joining("\n"));
        var failed = part.path("is_error").asBoolean();
        var command = commands.remove(part.path("tool_use_id").asText());
        if (command != null) {
          events.add(new AgentEvent.CommandEnded(command, exitStatus(text, failed)));
        }
        events.add(new AgentEvent.ToolResult(text, failed));
      }
    }
    return events;
  }

  /// The result of a command that failed begins with `Exit code 1`; one that was refused or ran out
  /// of time has no exit status.
  private static Optional<Integer> exitStatus(String text, boolean failed) {
    if (!failed) {
      return Optional.of(0);
    }
    var match = EXIT.matcher(text);
    return match.lookingAt() ? Optional.of(Integer.valueOf(match.group(1))) : Optional.empty();
  }

  /// @param dollars the cost since the last result
  private static AgentEvent usageReport(JsonNode usage, Optional<BigDecimal> dollars) {
    return new AgentEvent.UsageReport(
        new Usage(
            usage.path("input_tokens").asLong()
                + usage.path("cache_creation_input_tokens").asLong()
                + usage.path("cache_read_input_tokens").asLong(),
            usage.path("output_tokens").asLong(),
            dollars,
            false));
  }

  /// Why a result is no success; empty if it is one. The subtype can be `success` even for an
  /// error, and an error need not be marked as one.
  private static Optional<String> failure(JsonNode result) {
    var text = result.path("result").asText();
    var subtype = result.path("subtype").asText(SUCCESS);
    var isError = result.path("is_error").asBoolean();
    if (isError && !text.isBlank()) {
      return Optional.of(text);
    }
    if (!subtype.equals(SUCCESS)) {
      var errors = errors(result.path("errors"));
      return Optional.of(
          errors.isEmpty()
              ? switch (subtype) {
                case "error_max_turns" -> "The agent reached its limit of turns.";
                case "error_max_budget_usd" -> "The agent reached its own cost limit.";
                case "error_during_execution" -> "An error interrupted the agent.";
                default -> JsonLines.noReason(subtype);
              }
              : errors);
    }
    if (isError) {
      return Optional.of("The agent reported an error and gave no reason.");
    }
    return text.isBlank() ? unfinished(result.path("stop_reason").asText("")) : Optional.empty();
  }

  private static String errors(JsonNode errors) {
    return StreamSupport.stream(errors.spliterator(), false)
        .map(error -> error.isTextual() ? error.asText() : error.path("message").asText())
        .filter(error -> !error.isBlank() && !error.startsWith(DIAGNOSTIC))
        .collect(Collectors.joining("\n"));
  }

  /// Why the work is unfinished if the last message has no text.
  private static Optional<String> unfinished(String stopReason) {
    return switch (stopReason) {
      case "", "end_turn", "stop_sequence" -> Optional.empty();
      case "tool_use" ->
          Optional.of("The agent ended before it was finished: its last message calls a tool.");
      case "refusal" -> Optional.of("The model refused to answer this.");
      case "max_tokens" -> Optional.of("The model's answer was longer than it may be.");
      default -> Optional.of("The agent ended before it was finished (%s).".formatted(stopReason));
    };
  }
}
