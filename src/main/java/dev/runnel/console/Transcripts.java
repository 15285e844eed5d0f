package dev.runnel.console;

import dev.runnel.core.model.RunId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What was said in runs, where it is known here. A run service elsewhere keeps it to itself; its
/// runs have a link to their session instead.
public interface Transcripts {
  /// For a run service that keeps transcripts to itself.
  Transcripts NONE = (_, _) -> Optional.empty();

  /// What comes after a line, 0 for the beginning: a page of a size that is easy to hold.
  ///
  /// @return empty when no transcript of that run is known here
  Optional<Part> after(RunId run, long line);

  /// @param mayGrow whether more may come: there is a further page, or the run has not ended
  record Part(List<Line> lines, boolean mayGrow) {
    private static final int MAX_LINE = 5_000;
    private static final int MAX_CHARACTERS = 400_000;

    public Part {
      lines = List.copyOf(lines);
    }

    /// What a page can show of it at once: its first lines, long ones in short. The rest can be
    /// asked for next.
    Part forAPage() {
      var shown = new ArrayList<Line>();
      int room = MAX_CHARACTERS;
      for (var line : lines) {
        var inShort = line.inShort(MAX_LINE);
        room -= inShort.text().length();
        if (room < 0) {
          return new Part(shown, true);
        }
        shown.add(inShort);
      }
      return new Part(shown, mayGrow);
    }
  }

  /// @param number 1, 2, … within the run
  /// @param execution the execution that said it, from 1
  /// @param text without a line end; only [Kind#ASKED] may hold several lines
  record Line(long number, int execution, Kind kind, Instant at, String text) {
    private Line inShort(int most) {
      return new Line(number, execution, kind, at, Transcripts.inShort(text, most));
    }
  }

  /// The beginning of a text that is long, and how much is left out.
  static String inShort(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most;
    return "%s … (%d more characters)".formatted(text.substring(0, end), text.length() - end);
  }

  /// Who says a line.
  enum Kind {
    /// What the agent was asked: the prompt, or a follow-up.
    ASKED,
    /// The agent's words.
    SAID,
    /// A tool the agent used.
    DID,
    /// What the tool gave back.
    RESULT,
    /// What the agent is busy with.
    STATUS,
    /// What the agent must know before it can go on.
    QUESTION,
    /// Standard error.
    ERROR,
    /// The run service's own words.
    NOTE
  }
}
