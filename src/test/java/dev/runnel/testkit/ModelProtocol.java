package dev.runnel.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/// One of the ways in which [FakeModel] is asked and answers.
sealed interface ModelProtocol {
  /// Tokens that every answer reports, on top of none for the cache.
  int INPUT_TOKENS = 100;

  int OUTPUT_TOKENS = 20;

  record Answer(String contentType, String body) {}

  /// The protocol of an address.
  static Optional<ModelProtocol> at(String path) {
    if (path.endsWith("/messages")) {
      return Optional.of(new Messages());
    }
    if (path.endsWith("/responses")) {
      return Optional.of(new Responses());
    }
    if (path.endsWith("/chat/completions")) {
      return Optional.of(new Completions());
    }
    return path.endsWith(":streamGenerateContent") || path.endsWith(":generateContent")
        ? Optional.of(new Gemini(path.endsWith(":streamGenerateContent")))
        : Optional.empty();
  }

  /// The conversation so far.
  JsonNode messages(JsonNode body);

  /// The name of a tool that runs shell commands.
  Optional<String> shell(JsonNode body);

  boolean lastIsResult(JsonNode body);

  Answer say(JsonNode body, String text);

  Answer call(JsonNode body, String tool, String command);

  /// The body of a refusal.
  default String problem(int status) {
    return object()
        .<ObjectNode>set(
            "error",
            object()
                .put("type", "fake_problem")
                .put("code", status)
                .put("message", "The fake model answers " + status))
        .toString();
  }

  /// What the last message says, all its texts together.
  default String lastText(JsonNode body) {
    var last = last(body);
    var content = last.path("content");
    return content.isTextual()
        ? content.asText()
        : String.join("\n", last.findValuesAsText("text"));
  }

  /// Claude Code puts a message of the system's behind the person's.
  default JsonNode last(JsonNode body) {
    JsonNode last = MissingNode.getInstance();
    for (var message : messages(body)) {
      if (!message.path("role").asText().equals("system")) {
        last = message;
      }
    }
    return last;
  }

  /// `/v1/messages`
  record Messages() implements ModelProtocol {
    @Override
    public JsonNode messages(JsonNode body) {
      return body.path("messages");
    }

    @Override
    public Optional<String> shell(JsonNode body) {
      return named(body.path("tools"), "Bash");
    }

    @Override
    public boolean lastIsResult(JsonNode body) {
      return last(body).findValuesAsText("type").contains("tool_result");
    }

    @Override
    public Answer say(JsonNode body, String text) {
      var delta = object().put("type", "text_delta").put("text", text);
      var start = object().put("type", "text").put("text", "");
      return answer(body, start, delta, object().put("type", "text").put("text", text), "end_turn");
    }

    @Override
    public Answer call(JsonNode body, String tool, String command) {
      var input = object().put("command", command).put("description", "Does what was asked");
      var start = object().put("type", "tool_use").put("id", id("toolu_")).put("name", tool);
      var whole = start.deepCopy();
      whole.set("input", input);
      start.set("input", object());
      var delta = object().put("type", "input_json_delta").put("partial_json", input.toString());
      return answer(body, start, delta, whole, "tool_use");
    }

    private static Answer answer(
        JsonNode body, ObjectNode start, ObjectNode delta, ObjectNode whole, String stop) {
      var usage = object().put("input_tokens", INPUT_TOKENS).put("output_tokens", OUTPUT_TOKENS);
      var message =
          object()
              .put("id", id("msg_"))
              .put("type", "message")
              .put("role", "assistant")
              .put("model", body.path("model").asText())
              .putNull("stop_sequence");
      message.set("usage", usage);
      if (!body.path("stream").asBoolean()) {
        message.put("stop_reason", stop).putArray("content").add(whole);
        return new Answer("application/json", message.toString());
      }
      message.putNull("stop_reason").putArray("content");
      var events = new ArrayList<ObjectNode>();
      events.add(object().put("type", "message_start").set("message", message));
      events.add(
          object().put("type", "content_block_start").put("index", 0).set("content_block", start));
      events.add(object().put("type", "content_block_delta").put("index", 0).set("delta", delta));
      events.add(object().put("type", "content_block_stop").put("index", 0));
      ObjectNode end = object().put("type", "message_delta");
      end.set("delta", object().put("stop_reason", stop).putNull("stop_sequence"));
      end.set("usage", usage);
      events.add(end);
      events.add(object().put("type", "message_stop"));
      return stream(events, true, "");
    }
  }

  /// `/v1/responses`
  record Responses() implements ModelProtocol {
    private static final Set<String> SHELLS = Set.of("exec_command", "shell_command", "shell");

    @Override
    public JsonNode messages(JsonNode body) {
      return body.path("input");
    }

    @Override
    public Optional<String> shell(JsonNode body) {
      return named(body.path("tools"), SHELLS.toArray(String[]::new));
    }

    @Override
    public boolean lastIsResult(JsonNode body) {
      return last(body).path("type").asText().endsWith("_output");
    }

    @Override
    public Answer say(JsonNode body, String text) {
      ObjectNode item =
          object().put("type", "message").put("id", id("msg_")).put("role", "assistant");
      item.putArray("content").add(object().put("type", "output_text").put("text", text));
      return answer(item);
    }

    @Override
    public Answer call(JsonNode body, String tool, String command) {
      var input = object();
      switch (tool) {
        case "exec_command" -> input.put("cmd", command).put("yield_time_ms", 600_000);
        case "shell" -> input.putArray("command").add("sh").add("-c").add(command);
        default -> input.put("command", command);
      }
      return answer(
          object()
              .put("type", "function_call")
              .put("id", id("fc_"))
              .put("call_id", id("call_"))
              .put("name", tool)
              .put("arguments", input.toString()));
    }

    private static Answer answer(ObjectNode item) {
      var id = id("resp_");
      var usage =
          object()
              .put("input_tokens", INPUT_TOKENS)
              .put("output_tokens", OUTPUT_TOKENS)
              .put("total_tokens", INPUT_TOKENS + OUTPUT_TOKENS);
      var done = object().put("id", id);
      done.putArray("output").add(item);
      done.set("usage", usage);
      return stream(
          List.of(
              object().put("type", "response.created").set("response", object().put("id", id)),
              object()
                  .put("type", "response.output_item.added")
                  .put("output_index", 0)
                  .set("item", item),
              object()
                  .put("type", "response.output_item.done")
                  .put("output_index", 0)
                  .set("item", item),
              object().put("type", "response.completed").set("response", done)),
          true,
          "");
    }
  }

  /// `/v1/chat/completions`
  record Completions() implements ModelProtocol {
    @Override
    public JsonNode messages(JsonNode body) {
      return body.path("messages");
    }

    @Override
    public Optional<String> shell(JsonNode body) {
      var functions =
          StreamSupport.stream(body.path("tools").spliterator(), false)
              .map(tool -> tool.path("function"))
              .toList();
      return named(functions, "bash");
    }

    @Override
    public boolean lastIsResult(JsonNode body) {
      return last(body).path("role").asText().equals("tool");
    }

    @Override
    public Answer say(JsonNode body, String text) {
      return answer(object().put("role", "assistant").put("content", text), "stop");
    }

    @Override
    public Answer call(JsonNode body, String tool, String command) {
      var input = object().put("command", command).put("description", "Does what was asked");
      var delta = object().put("role", "assistant");
      ObjectNode call = object().put("index", 0).put("id", id("call_")).put("type", "function");
      call.set("function", object().put("name", tool).put("arguments", input.toString()));
      delta.putArray("tool_calls").add(call);
      return answer(delta, "tool_calls");
    }

    private static Answer answer(ObjectNode delta, String reason) {
      var id = id("chatcmpl-");
      var last = chunk(id, object(), reason);
      last.set(
          "usage",
          object()
              .put("prompt_tokens", INPUT_TOKENS)
              .put("completion_tokens", OUTPUT_TOKENS)
              .put("total_tokens", INPUT_TOKENS + OUTPUT_TOKENS));
      return stream(List.of(chunk(id, delta, null), last), false, "data: [DONE]\n\n");
    }

    private static ObjectNode chunk(String id, ObjectNode delta, @Nullable String reason) {
      var choice = object().put("index", 0).put("finish_reason", reason);
      choice.set("delta", delta);
      var chunk = object().put("id", id).put("object", "chat.completion.chunk").put("created", 0);
      chunk.putArray("choices").add(choice);
      return chunk;
    }
  }

  /// `…:streamGenerateContent`, and `…:generateContent` all at once.
  record Gemini(boolean streamed) implements ModelProtocol {
    @Override
    public JsonNode messages(JsonNode body) {
      return body.path("contents");
    }

    @Override
    public Optional<String> shell(JsonNode body) {
      var functions = new ArrayList<JsonNode>();
      body.path("tools").forEach(each -> each.path("functionDeclarations").forEach(functions::add));
      return named(functions, "run_shell_command");
    }

    @Override
    public boolean lastIsResult(JsonNode body) {
      return last(body).findValue("functionResponse") != null;
    }

    @Override
    public Answer say(JsonNode body, String text) {
      return answer(object().put("text", text));
    }

    @Override
    public Answer call(JsonNode body, String tool, String command) {
      ObjectNode call = object().put("name", tool);
      call.set("args", object().put("command", command).put("description", "Does what was asked"));
      return answer(object().set("functionCall", call));
    }

    private Answer answer(ObjectNode part) {
      ObjectNode content = object().put("role", "model");
      content.putArray("parts").add(part);
      ObjectNode candidate = object().put("index", 0).put("finishReason", "STOP");
      candidate.set("content", content);
      var answer = object().put("modelVersion", "fake");
      answer.putArray("candidates").add(candidate);
      answer.set(
          "usageMetadata",
          object()
              .put("promptTokenCount", INPUT_TOKENS)
              .put("candidatesTokenCount", OUTPUT_TOKENS)
              .put("totalTokenCount", INPUT_TOKENS + OUTPUT_TOKENS));
      return streamed
          ? stream(List.of(answer), false, "")
          : new Answer("application/json", answer.toString());
    }
  }

  private static Optional<String> named(Iterable<JsonNode> tools, String... names) {
    var known = Set.of(names);
    return StreamSupport.stream(tools.spliterator(), false)
        .map(tool -> tool.path("name").asText())
        .filter(known::contains)
        .findFirst();
  }

  private static Answer stream(List<? extends JsonNode> events, boolean named, String end) {
    var text = new StringBuilder();
    for (var event : events) {
      if (named) {
        text.append("event: ").append(event.path("type").asText()).append('\n');
      }
      text.append("data: ").append(event).append("\n\n");
    }
    return new Answer("text/event-stream", text.append(end).toString());
  }

  private static ObjectNode object() {
    return FakeModel.JSON.createObjectNode();
  }

  private static String id(String prefix) {
    return prefix + UUID.randomUUID().toString().replace("-", "");
  }
}
