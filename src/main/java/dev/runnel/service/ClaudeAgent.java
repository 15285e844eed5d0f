package dev.runnel.service;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/// Claude Code in print mode, with `stream-json` output.
record ClaudeAgent() implements Harness {
  @Override
  public String name() {
    return "claude";
  }

  @Override
  public List<String> command(Job job) {
    var command =
        new ArrayList<>(List.of("claude", "-p", "--output-format", "stream-json", "--verbose"));
    job.modelId().ifPresent(model -> command.addAll(List.of("--model", model)));
    command.addAll(
        job.agentSession()
            .map(session -> List.of("--resume", session))
            .orElse(List.of("--session-id", job.sessionId())));
    // It refuses to skip all permissions as root, so it is allowed what a coding agent needs.
    command.addAll(
        List.of("--permission-mode", "acceptEdits", "--allowedTools", "Bash,Edit,Write"));
    return command;
  }

  @Override
  public Ears ears() {
    return line -> {
      var event = JsonLines.parse(line);
      return switch (event.path("type").asText()) {
        case "system" ->
            event.hasNonNull("session_id")
                ? List.of(new Saying.Session(event.get("session_id").asText()))
                : List.of();
        case "assistant" -> assistant(event.path("message").path("content"));
        case "result" -> result(event);
        default -> List.of();
      };
    };
  }

  private static List<Saying> assistant(JsonNode content) {
    var sayings = new ArrayList<Saying>();
    for (var part : content) {
      switch (part.path("type").asText()) {
        case "text" -> sayings.add(new Saying.Said(part.path("text").asText()));
        case "tool_use" ->
            sayings.add(JsonLines.did(part.path("name").asText(), part.path("input")));
        default -> {}
      }
    }
    return sayings;
  }

  private static List<Saying> result(JsonNode event) {
    var text = event.path("result").asText();
    if (event.path("is_error").asBoolean()) {
      return List.of(new Saying.Failure(text.isBlank() ? event.path("subtype").asText() : text));
    }
    return text.isBlank() ? List.of() : List.of(new Saying.Answer(text));
  }
}
