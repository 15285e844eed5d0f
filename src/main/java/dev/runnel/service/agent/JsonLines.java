package dev.runnel.service.agent;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.ArrayList;
import java.util.List;

/// Output of agents that print one JSON object a line.
final class JsonLines {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int SHOWN = 200;

  /// What a person wants to see of a tool's input, the first that is there.
  private static final List<String> TELLING =
      List.of("command", "file_path", "filePath", "path", "pattern", "query", "url", "description");

  private JsonLines() {}

  /// The object, or a missing node where the line is none.
  static JsonNode parse(String line) {
    if (!line.startsWith("{")) {
      return MissingNode.getInstance();
    }
    try {
      return JSON.readTree(line);
    } catch (JsonProcessingException _) {
      return MissingNode.getInstance();
    }
  }

  /// A tool and what it was given, on one line and short.
  static AgentEvent.Did did(String tool, JsonNode input) {
    var given =
        TELLING.stream()
            .map(input::path)
            .filter(JsonNode::isTextual)
            .findFirst()
            .map(JsonNode::asText)
            .orElseGet(() -> input.isEmpty() ? "" : input.toString());
    return new AgentEvent.Did(tool, shorten(given.replaceAll("\\s+", " ").strip()));
  }

  /// A list of steps, one a line, with a mark before those that are done.
  ///
  /// @param text the member that says what a step is
  static AgentEvent.Planned plan(JsonNode steps, String text) {
    var lines = new ArrayList<String>();
    for (var step : steps) {
      var done =
          step.path("completed").asBoolean() || step.path("status").asText().equals("completed");
      lines.add((done ? "[x] " : "[ ] ") + step.path(text).asText());
    }
    return new AgentEvent.Planned(String.join("\n", lines));
  }

  private static String shorten(String text) {
    if (text.length() <= SHOWN) {
      return text;
    }
    var end = Character.isHighSurrogate(text.charAt(SHOWN - 1)) ? SHOWN - 1 : SHOWN;
    return text.substring(0, end) + "…";
  }
}
