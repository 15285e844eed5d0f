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

/// The output of Codex, of `exec --json` or of an `app-server`. The latter speaks JSON-RPC: a turn
/// begins with the prompt when the thread is ready, and takes messages (`turn/steer`) until it
/// ends. A message that comes too late for its turn begins another one. Codex repeats each message,
/// with its id, when it has read it.
///
/// @see <a href="https://developers.openai.com/codex/app-server">The protocol</a>
final class CodexConversation implements Dialogue {
  private static final String READY = "ready";
  private static final String THREAD = "thread";
  private static final String TURN = "turn";

  /// What is said again when it is complete, and what Runnel does not read.
  private static final List<String> UNREAD =
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
  private final String opensThread;
  private final boolean isResumed;
  // The messages that were given to the agent, by their ids.
  private final Map<String, String> given = new ConcurrentHashMap<>();
  private volatile String thread = "";
  // Empty unless the agent works.
  private volatile String turn = "";

  /// @param sandbox the mode of Codex's sandbox
  CodexConversation(ExecutionRequest executionRequest, String sandbox) throws AgentRefused {
    this.prompt = executionRequest.prompt();
    this.opensThread = thread(executionRequest, sandbox);
    this.isResumed = executionRequest.agentSession().isPresent();
  }

  /// What an app-server reads first. It cannot begin a thread while somebody signs in.
  ///
  /// @param key the key of the model's provider in a variable, which only `exec` reads
  static String opening(Optional<String> key) {
    var initialize = ServiceJson.newObject();
    initialize.putObject("clientInfo").put("name", "runnel").put("version", "1");
    var capabilities = initialize.putObject("capabilities").put("experimentalApi", true);
    UNREAD.forEach(capabilities.putArray("optOutNotificationMethods")::add);
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

  private static String thread(ExecutionRequest executionRequest, String sandbox)
      throws AgentRefused {
    var thread = ServiceJson.newObject();
    executionRequest.modelId().ifPresent(model -> thread.put("model", model));
    executionRequest.basePrompt().ifPresent(text -> thread.put("developerInstructions", text));
    var config = thread.putObject("config");
    executionRequest
        .reasoningLevel()
        .ifPresent(level -> config.put("model_reasoning_effort", level));
    for (var server : ToolServer.of(executionRequest)) {
      var one = config.putObject("mcp_servers." + server.name());
      one.put(CodexAgent.TOOLS_APPROVAL, "approve");
      switch (server) {
        case ToolServer.Local local -> {
          one.put("command", local.command());
          local.args().forEach(one.putArray("args")::add);
          one.set("env", ServiceJson.object(local.env()));
        }
        case ToolServer.Remote remote -> {
          one.put("url", remote.url());
          one.set("http_headers", ServiceJson.object(remote.headers()));
        }
      }
    }
    if (executionRequest.agentSession().isEmpty()) {
      return request(THREAD, "thread/start", thread);
    }
    // By default, it goes on in the folder and with the permissions that it had. With its turns,
    // the answer could be longer than what is read of a line.
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
    given.put(id, text);
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
      return exec(event.path("type").asText(), event);
    }
    if (!event.has("method")) {
      return event.hasNonNull("id") ? answered(event.path("id").asText(), event) : List.of();
    }
    if (event.has("id")) {
      return List.of(new AgentEvent.Awaits(refuse(event.path("id"))));
    }
    var params = event.path("params");
    // Subagents have threads of their own.
    return params.path("threadId").asText().equals(thread)
        ? notified(event.path("method").asText(), params)
        : List.of();
  }

  /// Nobody is there to decide what the agent asks.
  private static String refuse(JsonNode id) {
    var line = ServiceJson.newObject();
    line.set("id", id);
    line.putObject("error").put("code", -32601).put("message", "Nobody can be asked here.");
    return line.toString();
  }

  /// Handles the answer to a request.
  private List<AgentEvent> answered(String id, JsonNode answer) {
    if (answer.has("error")) {
      var late = given.get(id);
      return List.of(
          late == null
              ? new AgentEvent.Failure(words(answer.path("error")))
              : new AgentEvent.Awaits(
                  request(TURN, "turn/start", input(late).put("clientUserMessageId", id))));
    }
    return switch (id) {
      case READY -> List.of(new AgentEvent.Awaits(opensThread));
      case THREAD -> {
        thread = answer.path("result").path("thread").path("id").asText();
        var begins = new AgentEvent.Awaits(request(TURN, "turn/start", input(prompt)));
        yield isResumed ? List.of(new AgentEvent.Session(thread), begins) : List.of(begins);
      }
      default -> List.of();
    };
  }

  private static String words(JsonNode error) {
    var message = error.path("message").asText();
    var details = error.path("additionalDetails").asText("");
    return details.isEmpty() || message.contains(details)
        ? message
        : message + " (" + details + ")";
  }

  private List<AgentEvent> notified(String method, JsonNode params) {
    return switch (method) {
      case "turn/started" -> {
        turn = params.path("turn").path("id").asText();
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
                        ? words(ended.path("error"))
                        : "The turn was " + status + "."));
      }
      case "turn/plan/updated" -> List.of(JsonLines.plan(params.path("plan"), "step"));
      case "thread/tokenUsage/updated" ->
          List.of(used(likeExec(params.path("tokenUsage").path("total"))));
      case "item/started" -> started(likeExec(params.path("item")));
      case "item/completed" -> completed(likeExec(params.path("item")));
      case "error" ->
          // Not final: the turn fails with it if Codex does not try again.
          List.of(new AgentEvent.Status(words(params.path("error"))));
      default -> List.of();
    };
  }

  private static List<AgentEvent> exec(String type, JsonNode event) {
    return switch (type) {
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
  }

  /// An object of the app-server with the names of `exec`: there, `exitCode` is `exit_code`.
  private static JsonNode likeExec(JsonNode object) {
    var renamed = ServiceJson.newObject();
    object.properties().forEach(each -> renamed.set(snake(each.getKey()), each.getValue()));
    return renamed.put("type", snake(object.path("type").asText()));
  }

  private static String snake(String name) {
    return name.replaceAll("(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
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
      case "user_message" ->
          item.hasNonNull("client_id")
              ? List.of(new AgentEvent.Taken(item.path("client_id").asText()))
              : List.of();
      case "agent_message" -> {
        var text = item.path("text").asText();
        yield List.of(new AgentEvent.Message(text), new AgentEvent.Answer(text));
      }
      case "command_execution" ->
          List.of(
              new AgentEvent.Ran(
                  JsonLines.did("", item).given(),
                  Optional.of(item.path("exit_code")).filter(JsonNode::isInt).map(JsonNode::asInt)),
              new AgentEvent.Result(
                  item.path("aggregated_output").asText(""), item.path("exit_code").asInt() != 0));
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
      var kind = change.at("/kind/type").asText(change.path("kind").asText());
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
