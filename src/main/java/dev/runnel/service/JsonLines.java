package dev.runnel.service;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;

/// Output of agents that print one JSON object a line.
final class JsonLines {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int SHOWN = 200;

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
  static Saying.Did did(String tool, JsonNode input) {
    var given = input.path("command").asText(input.isMissingNode() ? "" : input.toString());
    var line = (tool + " " + given).replaceAll("\\s+", " ").strip();
    return new Saying.Did(line.length() <= SHOWN ? line : line.substring(0, SHOWN) + "…");
  }
}
