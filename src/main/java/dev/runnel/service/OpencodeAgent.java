package dev.runnel.service;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/// opencode, `run --format json`.
record OpencodeAgent() implements Harness {
  @Override
  public String name() {
    return "opencode";
  }

  @Override
  public List<String> command(Job job) {
    var command = new ArrayList<>(List.of("opencode", "run", "--format", "json", "--auto"));
    job.modelId().ifPresent(model -> command.addAll(List.of("-m", model)));
    job.agentSession().ifPresent(session -> command.addAll(List.of("-s", session)));
    return command;
  }

  @Override
  public Ears ears() {
    return line -> {
      var event = JsonLines.parse(line);
      var sayings = new ArrayList<Saying>();
      if (event.hasNonNull("sessionID")) {
        sayings.add(new Saying.Session(event.get("sessionID").asText()));
      }
      var part = event.path("part");
      switch (event.path("type").asText()) {
        case "text" -> {
          var text = part.path("text").asText();
          sayings.add(new Saying.Said(text));
          sayings.add(new Saying.Answer(text));
        }
        case "tool_use" ->
            sayings.add(
                JsonLines.did(part.path("tool").asText(), part.path("state").path("input")));
        case "error" -> sayings.add(new Saying.Failure(why(event.path("error"))));
        default -> {}
      }
      return sayings;
    };
  }

  private static String why(JsonNode error) {
    return error.path("data").path("message").asText(error.path("name").asText());
  }
}
