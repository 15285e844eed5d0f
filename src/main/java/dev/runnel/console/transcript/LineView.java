package dev.runnel.console.transcript;

import dev.runnel.console.transcript.Transcripts.Line;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/// A line of a transcript for the page.
///
/// Public because the templates are in another package.
///
/// @param kind the CSS class: `said`
/// @param who a label for the author; empty for the agent
/// @param at its time, in ISO 8601
/// @param clock the same for people, in UTC: `14:03:59`
public record LineView(
    long number, String kind, String who, String at, String clock, List<TextSpan> marks) {
  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("HH:mm:ss").withZone(ZoneOffset.UTC);

  public LineView {
    marks = List.copyOf(marks);
  }

  static LineView of(Line line) {
    return new LineView(
        line.number(),
        line.kind().name().toLowerCase(Locale.ROOT),
        who(line),
        line.at().toString(),
        clock(line.at()),
        TextSpan.output(line.text()));
  }

  private static String clock(Instant at) {
    return CLOCK.format(at);
  }

  /// A label for the author; empty for the agent.
  public static String who(Line line) {
    return switch (line.kind()) {
      case ASKED -> line.execution() == 1 ? "Prompt" : "Follow-up, execution " + line.execution();
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
