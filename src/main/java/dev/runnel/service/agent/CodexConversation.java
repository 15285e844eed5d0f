package dev.runnel.service.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.run.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// Parses the output of Codex, either of `exec --json` or of an `app-server`. The latter uses
/// JSON-RPC: when the thread is ready, the prompt starts a turn, which accepts messages
/// (`turn/steer`) until it ends. A message that arrives after the end of its turn starts a new one.
/// Codex echoes each message, with its id, when it has read it.
///
/// @see <a href="https://developers.openai.com/codex/app-server">The protocol</a>
final class CodexConversation implements Dialogue {
  private static final String READY = "ready";
  private static final String THREAD = "thread";
  private static final String TURN = "turn";

  /// Notifications that Runnel ignores, such as the deltas of items that Codex sends again when
  /// they are complete.
  private static final List<String> IGNORED_NOTIFICATIONS =
      List.of(
          "item/agentMessage/delta",
          "item/commandExecution/outputDelta",
          "item/commandExecution/terminalInteraction",
          "item/fileChange/outputDelta",
          "item/fileChange/patchUpdated",
          "item/mcpToolCall/progress",
          "item/plan/delta",
          "item/reasoning/summaryPartAdded",
          "item/reasoning/summaryTextDelta",
          "item/reasoning/textDelta",
          "turn/diff/updated");

  private final String prompt;
  private final String openThreadRequest;
  private final boolean isResumed;
  // The messages that were sent to the agent, by id.
  private final Map<String, String> sentMessages = new ConcurrentHashMap<>();
  private volatile String thread = "";
  // Empty unless a turn is in progress.
  private volatile String turn = "";

  /// @param sandbox the mode of Codex's sandbox
  CodexConversation(ExecutionRequest executionRequest, String sandbox) throws AgentRefused {
    this.prompt = executionRequest.prompt();
    this.openThreadRequest = openThread(executionRequest, sandbox);
    this.isResumed = executionRequest.agentSession().isPresent();
  }

  /// The first lines for an app-server: the handshake and, with a key, the sign-in. The thread is
  /// opened after the response to them, because the server cannot open one during the sign-in.
  ///
  /// @param key the key of the model's provider in a variable, which only `exec` reads
  static String handshake(Optional<String> key) {
    var initialize = ServiceJson.newObject();
    initialize.putObject("clientInfo").put("name", "runnel").put("version", "1");
    var capabilities = initialize.putObject("capabilities").put("experimentalApi", true);
    IGNORED_NOTIFICATIONS.forEach(capabilities.putArray("optOutNotificationMethods")::add);
    var lines = new ArrayList<String>();
    lines.add(request(key.isPresent() ? "initialize" : READY, "initialize", initialize));
    lines.add(ServiceJson.newObject().put("method", "initialized").toString());
    key.ifPresent(
        it ->
            lines.add(
                request(
                    READY,
                    "account/login/start",
                    ServiceJson.newObject().put("type", "apiKey").put("apiKey", it))));
    return String.join("\n", lines) + "\n";
  }

  private static String openThread(ExecutionRequest executionRequest, String sandbox)
      throws AgentRefused {
    var thread = ServiceJson.newObject();
    executionRequest.modelId().ifPresent(model -> thread.put("model", model));
    executionRequest.basePrompt().ifPresent(text -> thread.put("developerInstructions", text));
    var config = thread.putObject("config");
    executionRequest
        .reasoningLevel()
        .ifPresent(level -> config.put("model_reasoning_effort", level));
    for (var server : ToolServer.of(executionRequest)) {
      var entry = config.putObject("mcp_servers." + server.name());
      entry.put(CodexAgent.TOOLS_APPROVAL, "approve");
      switch (server) {
        case ToolServer.Local local -> {
          entry.put("command", local.command());
          local.args().forEach(entry.putArray("args")::add);
          entry.set("env", ServiceJson.object(local.env()));
        }
        case ToolServer.Remote remote -> {
          entry.put("url", remote.url());
          entry.set("http_headers", ServiceJson.object(remote.headers()));
        }
      }
    }
    if (executionRequest.agentSession().isEmpty()) {
      return request(THREAD, "thread/start", thread);
    }
    // By default, a resumed thread keeps its earlier folder and permissions. With its turns, the
    // response could exceed the maximum length of a line.
    thread
        .put("threadId", executionRequest.agentSession().get())
        .put("cwd", ".")
        .put("sandbox", sandbox)
        .put("approvalPolicy", "never")
        .put("excludeTurns", true);
    return request(THREAD, "thread/resume", thread);
  }

  @Override
  public Optional<String> message(String id, String text) {
    var current = turn;
    if (current.isEmpty()) {
      return Optional.empty();
    }
    sentMessages.put(id, text);
    return Optional.of(
        request(
            id,
            "turn/steer",
            input(text).put("clientUserMessageId", id).put("expectedTurnId", current)));
  }

  private ObjectNode input(String text) {
    var input = ServiceJson.newObject().put("threadId", thread);
    input.putArray("input").addObject().put("type", "text").put("text", text);
    return input;
  }

  private static String request(String id, String method, JsonNode params) {
    return ServiceJson.newObject()
        .put("id", id)
        .put("method", method)
        .set("params", params)
        .toString();
  }

  @Override
  public List<AgentEvent> parse(String line) {
    var event = JsonLines.parse(line);
    if (event.has("type")) {
      return parseExec(event.path("type").asText(), event);
    }
    if (!event.has("method")) {
      return event.hasNonNull("id") ? handleResponse(event.path("id").asText(), event) : List.of();
    }
    if (event.has("id")) {
      var id = event.path("id");
      return id.canConvertToLong() || JsonLines.isId(id.asText())
          ? List.of(new AgentEvent.InputLine(reject(id)))
          : List.of();
    }
    var params = event.path("params");
    // Subagents have threads of their own.
    return params.path("threadId").asText().equals(thread)
        ? handleNotification(event.path("method").asText(), params)
        : List.of();
  }

  /// Rejects a request of the agent, because no person is there to answer it.
  private static String reject(JsonNode id) {
    var line = ServiceJson.newObject();
    line.set("id", id);
    line.putObject("error").put("code", -32601).put("message", "No person can answer here.");
    return line.toString();
  }

  /// Handles the response to a request of Runnel.
  private List<AgentEvent> handleResponse(String id, JsonNode response) {
    if (response.has("error")) {
      var lateMessage = sentMessages.get(id);
      return List.of(
          lateMessage == null
              ? new AgentEvent.Failure(errorText(response.path("error")))
              : new AgentEvent.InputLine(
                  request(TURN, "turn/start", input(lateMessage).put("clientUserMessageId", id))));
    }
    return switch (id) {
      case READY -> List.of(new AgentEvent.InputLine(openThreadRequest));
      case THREAD -> {
        thread = idOf(response.path("result").path("thread"));
        var startTurn = new AgentEvent.InputLine(request(TURN, "turn/start", input(prompt)));
        yield isResumed ? List.of(new AgentEvent.Session(thread), startTurn) : List.of(startTurn);
      }
      default -> List.of();
    };
  }

  /// Empty if it has none that may be kept.
  private static String idOf(JsonNode object) {
    var id = object.path("id").asText();
    return JsonLines.isId(id) ? id : "";
  }

  private static String errorText(JsonNode error) {
    var message = error.path("message").asText();
    var details = error.path("additionalDetails").asText("");
    return details.isEmpty() || message.contains(details)
        ? message
        : message + " (" + details + ")";
  }

  private List<AgentEvent> handleNotification(String method, JsonNode params) {
    return switch (method) {
      case "turn/started" -> {
        turn = idOf(params.path("turn"));
        // Before its first turn, Codex has stored nothing that could be resumed.
        yield List.of(new AgentEvent.Session(thread));
      }
      case "turn/completed" -> {
        turn = "";
        var ended = params.path("turn");
        var status = ended.path("status").asText();
        yield List.of(
            status.equals("completed")
                ? new AgentEvent.Finished()
                : new AgentEvent.Failure(
                    ended.hasNonNull("error")
                        ? errorText(ended.path("error"))
                        : "The turn was " + status + "."));
      }
      case "turn/plan/updated" -> List.of(JsonLines.plan(params.path("plan"), "step"));
      case "thread/tokenUsage/updated" ->
          List.of(usageReport(toExecNames(params.path("tokenUsage").path("total"))));
      case "item/started" -> started(toExecNames(params.path("item")));
      case "item/completed" -> completed(toExecNames(params.path("item")));
      case "error" ->
          // Not final: the turn fails with it if Codex does not try again.
          List.of(new AgentEvent.Status(errorText(params.path("error"))));
      default -> List.of();
    };
  }

  private List<AgentEvent> parseExec(String type, JsonNode event) {
    return switch (type) {
      case "thread.started" -> List.of(new AgentEvent.Session(event.path("thread_id").asText()));
      case "item.started" -> started(event.path("item"));
      case "item.updated" -> todoList(event.path("item"));
      case "item.completed" -> completed(event.path("item"));
      case "turn.completed" -> List.of(usageReport(event.path("usage")), new AgentEvent.Finished());
      // Not final: Codex may retry.
      case "error" -> List.of(new AgentEvent.Status(event.path("message").asText()));
      case "turn.failed" ->
          List.of(new AgentEvent.Failure(event.path("error").path("message").asText()));
      default -> List.of();
    };
  }

  /// Converts an object of the app-server to the names that `exec` uses: `exitCode` to `exit_code`.
  private static JsonNode toExecNames(JsonNode object) {
    var renamed = ServiceJson.newObject();
    object.properties().forEach(each -> renamed.set(snake(each.getKey()), each.getValue()));
    return renamed.put("type", snake(object.path("type").asText()));
  }

  private static String snake(String name) {
    return name.replaceAll("(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
  }

  private static List<AgentEvent> started(JsonNode item) {
    return switch (item.path("type").asText()) {
      case "command_execution" -> List.of(JsonLines.toolUse("shell", item));
      case "mcp_tool_call" ->
          List.of(
              JsonLines.toolUse(
                  item.path("server").asText() + "." + item.path("tool").asText(),
                  item.path("arguments")));
      case "web_search" ->
          List.of(new AgentEvent.ToolUse("web search", item.path("query").asText()));
      case "todo_list" -> todoList(item);
      default -> List.of();
    };
  }

  private List<AgentEvent> completed(JsonNode item) {
    return switch (item.path("type").asText()) {
      case "user_message" -> {
        if (!item.hasNonNull("client_id")) {
          yield List.of();
        }
        var id = item.path("client_id").asText();
        sentMessages.remove(id);
        yield List.of(new AgentEvent.MessageRead(id));
      }
      case "agent_message" -> {
        var text = item.path("text").asText();
        yield List.of(new AgentEvent.Message(text), new AgentEvent.Answer(text));
      }
      case "command_execution" ->
          List.of(
              new AgentEvent.CommandEnded(
                  JsonLines.toolUse("", item).input(),
                  Optional.of(item.path("exit_code")).filter(JsonNode::isInt).map(JsonNode::asInt)),
              new AgentEvent.ToolResult(
                  item.path("aggregated_output").asText(""), item.path("exit_code").asInt() != 0));
      case "mcp_tool_call" ->
          List.of(
              new AgentEvent.ToolResult(
                  String.join("\n", item.path("result").findValuesAsText("text")),
                  item.path("status").asText().equals("failed")));
      case "file_change" -> fileChanges(item.path("changes"));
      case "todo_list" -> todoList(item);
      default -> List.of();
    };
  }

  private static List<AgentEvent> fileChanges(JsonNode changes) {
    var events = new ArrayList<AgentEvent>();
    for (var change : changes) {
      var path = change.path("path").asText();
      var kind = change.at("/kind/type").asText(change.path("kind").asText());
      events.add(new AgentEvent.ToolUse(kind, path));
      if (kind.equals("add")) {
        events.add(new AgentEvent.FileWritten(path));
      }
    }
    return events;
  }

  private static List<AgentEvent> todoList(JsonNode item) {
    return item.path("type").asText().equals("todo_list")
        ? List.of(JsonLines.plan(item.path("items"), "text"))
        : List.of();
  }

  private static AgentEvent usageReport(JsonNode usage) {
    return new AgentEvent.UsageReport(
        new Usage(
            usage.path("input_tokens").asLong(),
            usage.path("output_tokens").asLong(),
            Optional.empty(),
            true));
  }
}
