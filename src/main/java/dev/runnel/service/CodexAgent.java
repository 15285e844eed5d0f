package dev.runnel.service;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/// Codex, `exec --json`. The sandbox is a setting rather than `-s`, which `resume` does not take.
record CodexAgent() implements Harness {
  @Override
  public String name() {
    return "codex";
  }

  @Override
  public List<String> command(Job job) {
    var command =
        new ArrayList<>(
            List.of(
                "codex",
                "exec",
                "--json",
                "--skip-git-repo-check",
                "-c",
                "sandbox_mode=workspace-write"));
    job.modelId().ifPresent(model -> command.addAll(List.of("-m", model)));
    job.agentSession().ifPresent(session -> command.addAll(List.of("resume", session)));
    command.add("-");
    return command;
  }

  @Override
  public Ears ears() {
    return line -> {
      var event = JsonLines.parse(line);
      return switch (event.path("type").asText()) {
        case "thread.started" -> List.of(new Saying.Session(event.path("thread_id").asText()));
        case "item.completed" -> item(event.path("item"));
        case "turn.failed" ->
            List.of(new Saying.Failure(event.path("error").path("message").asText()));
        default -> List.of();
      };
    };
  }

  private static List<Saying> item(JsonNode item) {
    return switch (item.path("type").asText()) {
      case "agent_message" -> {
        var text = item.path("text").asText();
        yield List.of(new Saying.Said(text), new Saying.Answer(text));
      }
      case "command_execution" -> List.of(JsonLines.did("shell", item));
      default -> List.of();
    };
  }
}
