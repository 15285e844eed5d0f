package dev.runnel.service;

import java.util.ArrayList;
import java.util.List;

/// Gemini CLI with `stream-json` output. It takes sessions up by workspace, not by name.
record GeminiAgent() implements Harness {
  @Override
  public String name() {
    return "gemini";
  }

  @Override
  public List<String> command(Job job) {
    var command = new ArrayList<>(List.of("gemini", "--yolo", "--skip-trust", "-o", "stream-json"));
    job.modelId().ifPresent(model -> command.addAll(List.of("-m", model)));
    if (job.agentSession().isPresent()) {
      command.addAll(List.of("--resume", "latest"));
    }
    return command;
  }

  @Override
  public Ears ears() {
    return new Pieces();
  }

  /// An answer comes in pieces; whole lines of it are said as they get complete.
  private static final class Pieces implements Ears {
    private final StringBuilder answer = new StringBuilder();
    private final StringBuilder line = new StringBuilder();

    @Override
    public List<Saying> hear(String output) {
      var event = JsonLines.parse(output);
      return switch (event.path("type").asText()) {
        case "init" -> List.of(new Saying.Session(event.path("session_id").asText()));
        case "message" ->
            event.path("role").asText().equals("assistant")
                ? piece(event.path("content").asText())
                : List.of();
        case "tool_use" -> {
          var sayings = rest();
          answer.setLength(0);
          sayings.add(JsonLines.did(event.path("tool_name").asText(), event.path("parameters")));
          yield sayings;
        }
        case "result" -> {
          var sayings = rest();
          if (event.path("status").asText().equals("error")) {
            sayings.add(new Saying.Failure(event.path("error").path("message").asText()));
          } else if (!answer.toString().isBlank()) {
            sayings.add(new Saying.Answer(answer.toString()));
          }
          yield sayings;
        }
        default -> List.of();
      };
    }

    private List<Saying> piece(String text) {
      answer.append(text);
      line.append(text);
      var sayings = new ArrayList<Saying>();
      for (int end = line.indexOf("\n"); end >= 0; end = line.indexOf("\n")) {
        sayings.add(new Saying.Said(line.substring(0, end)));
        line.delete(0, end + 1);
      }
      return sayings;
    }

    private List<Saying> rest() {
      var sayings = new ArrayList<Saying>();
      if (!line.isEmpty()) {
        sayings.add(new Saying.Said(line.toString()));
        line.setLength(0);
      }
      return sayings;
    }
  }
}
