package dev.runnel.console.transcript;

import dev.runnel.core.model.run.RunId;
import dev.runnel.text.Truncation;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The transcripts of runs, where they are available here. An external run service does not provide
/// them; its runs have a link to their session instead.
public interface Transcripts {
  /// For a run service that does not provide transcripts.
  Transcripts NONE = (_, _) -> Optional.empty();

  /// The lines after a given one, 0 for the beginning, limited to a page that fits in memory.
  ///
  /// @return empty if the run's transcript is not available here
  Optional<Part> after(RunId run, long line);

  /// The number of the last line; 0 if there is none.
  default long last(RunId run) {
    long last = 0;
    for (var part = after(run, 0); !lines(part).isEmpty(); part = after(run, last)) {
      last = lines(part).getLast().number();
    }
    return last;
  }

  /// The first lines that contain a text, whatever its case.
  ///
  /// @param most maximum number of lines
  default List<Line> find(RunId run, String text, int most) {
    var wanted = text.toLowerCase(Locale.ROOT);
    var found = new ArrayList<Line>();
    for (var part = after(run, 0);
        !lines(part).isEmpty();
        part = after(run, lines(part).getLast().number())) {
      lines(part).stream()
          .filter(line -> line.text().toLowerCase(Locale.ROOT).contains(wanted))
          .limit(most - found.size())
          .forEach(found::add);
      if (found.size() == most) {
        break;
      }
    }
    return found;
  }

  /// The number of the last line of error output; empty if there is none.
  default Optional<Long> lastError(RunId run) {
    long error = 0;
    for (var part = after(run, 0);
        !lines(part).isEmpty();
        part = after(run, lines(part).getLast().number())) {
      error =
          lines(part).stream()
              .filter(line -> line.kind() == Kind.ERROR)
              .mapToLong(Line::number)
              .max()
              .orElse(error);
    }
    return Optional.of(error).filter(it -> it > 0);
  }

  private static List<Line> lines(Optional<Part> part) {
    return part.map(Part::lines).orElse(List.of());
  }

  /// @param mayGrow whether more may follow: there is a further page, or the run has not ended
  record Part(List<Line> lines, boolean mayGrow) {
    public Part {
      lines = List.copyOf(lines);
    }

    /// The lines to render at once: the first ones, long ones shortened. The rest can be requested
    /// next.
    public Part firstPart() {
      var page = new LinesOfPage(lines.size());
      var shown = lines.stream().takeWhile(page::addIfItFits).count();
      return new Part(page.lines(), shown < lines.size() || mayGrow);
    }
  }

  /// @param number 1, 2, … within the run
  /// @param execution 1-based number of the execution it belongs to
  /// @param text without a line end; only [Kind#ASKED] may hold several lines
  record Line(long number, int execution, Kind kind, Instant at, String text) {
    Line inShort(int most) {
      return new Line(number, execution, kind, at, Transcripts.inShort(text, most));
    }
  }

  /// The beginning of a long text, and the number of characters left out.
  static String inShort(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    var head = Truncation.head(text, most);
    return "%s … (%d more characters)".formatted(head, text.length() - head.length());
  }

  enum Kind {
    /// A request to the agent: the prompt, or a follow-up.
    ASKED,
    /// The agent's text.
    SAID,
    /// A tool call of the agent.
    DID,
    /// The result of a tool call.
    RESULT,
    /// A status report of the agent.
    STATUS,
    /// A question of the agent.
    QUESTION,
    /// Standard error.
    ERROR,
    /// A note of the run service.
    NOTE
  }
}
