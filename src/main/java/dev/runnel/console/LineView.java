package dev.runnel.console;

import dev.runnel.console.Transcripts.Line;
import java.util.List;
import java.util.Locale;

/// A line of a transcript for the page.
///
/// Public because the templates are in another package.
///
/// @param kind the CSS class: `said`
/// @param who a label for the author; empty for the agent
public record LineView(long number, String kind, String who, List<TextSpan> marks) {
  public LineView {
    marks = List.copyOf(marks);
  }

  static List<LineView> of(List<Line> lines) {
    return lines.stream()
        .map(
            line ->
                new LineView(
                    line.number(),
                    line.kind().name().toLowerCase(Locale.ROOT),
                    who(line),
                    TextSpan.output(line.text())))
        .toList();
  }

  static String who(Line line) {
    return switch (line.kind()) {
      case ASKED -> line.execution() == 1 ? "Prompt" : "Follow-up";
      case SAID -> "";
      case DID -> "Tool";
      case RESULT -> "Result";
      case STATUS -> "Status";
      case QUESTION -> "Question";
      case ERROR -> "Error output";
      case NOTE -> "Note";
    };
  }
}
