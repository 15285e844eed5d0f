package dev.runnel.service.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.runnel.json.BoundedJson;
import dev.runnel.json.Projection;
import dev.runnel.json.RefusedJsonException;
import dev.runnel.text.Truncation;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Parses the output of agents that print one JSON object per line.
final class JsonLines {
  private static final int MAX_SHOWN = 200;
  private static final int MAX_ID = 200;

  /// Room for spaces that are left out.
  private static final int MAX_READ = 10 * MAX_SHOWN;

  private static final Pattern SPACES = Pattern.compile("\\s++");

  /// The tool input members to show to people; the first one present is used.
  private static final List<String> SHOWN_MEMBERS =
      List.of("command", "file_path", "filePath", "path", "pattern", "query", "url", "description");

  private JsonLines() {}

  /// The object, or a missing node if the line is not a JSON object, or too large as one.
  static JsonNode parse(String line) {
    if (!line.startsWith("{")) {
      return MissingNode.getInstance();
    }
    try {
      return BoundedJson.object(line, Projection.ALL);
    } catch (RefusedJsonException _) {
      return MissingNode.getInstance();
    }
  }

  /// Why an agent failed that reports only what kind of end it was.
  static String noReason(String kind) {
    return "The agent reported %s and gave no reason.".formatted(Truncation.cut(kind, MAX_SHOWN));
  }

  /// Whether an id that an agent chose may be kept or sent back.
  static boolean isId(String id) {
    return !id.isEmpty() && id.length() <= MAX_ID;
  }

  /// A tool and its input, shortened to one line.
  static AgentEvent.ToolUse toolUse(String tool, JsonNode input) {
    var shown =
        SHOWN_MEMBERS.stream()
            .map(input::path)
            .filter(JsonNode::isTextual)
            .findFirst()
            .map(JsonNode::asText)
            .orElseGet(() -> input.isEmpty() ? "" : input.toString());
    return new AgentEvent.ToolUse(
        Truncation.cut(tool, MAX_SHOWN),
        Truncation.cut(
            SPACES.matcher(Truncation.head(shown, MAX_READ)).replaceAll(" ").strip(), MAX_SHOWN));
  }

  /// A list of steps, one per line, with a check mark before completed ones.
  ///
  /// @param text name of the member that describes a step
  static AgentEvent.Plan plan(JsonNode steps, String text) {
    var lines = new ArrayList<String>();
    for (var step : steps) {
      var done =
          step.path("completed").asBoolean() || step.path("status").asText().equals("completed");
      lines.add((done ? "[x] " : "[ ] ") + step.path(text).asText());
    }
    return new AgentEvent.Plan(String.join("\n", lines));
  }
}
