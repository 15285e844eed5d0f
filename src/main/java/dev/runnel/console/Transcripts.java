package dev.runnel.console;

import dev.runnel.core.model.RunId;
import java.time.Instant;
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
    public Part {
      lines = List.copyOf(lines);
    }
  }

  /// @param number 1, 2, … within the run
  /// @param execution the execution that said it, from 1
  /// @param text without a line end; only [Kind#ASKED] may hold several lines
  record Line(long number, int execution, Kind kind, Instant at, String text) {}

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
