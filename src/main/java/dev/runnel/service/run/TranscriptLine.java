package dev.runnel.service.run;

import java.time.Instant;

/// A line of a run's transcript.
///
/// @param number 1, 2, … within the run
/// @param execution the execution that said it
/// @param text without a line end; only [Kind#ASKED] may hold several lines
public record TranscriptLine(long number, int execution, Kind kind, Instant at, String text) {
  /// Who says it.
  public enum Kind {
    /// What the execution was asked: the prompt, or the follow-ups.
    ASKED,
    /// The agent's words.
    SAID,
    /// A tool the agent used.
    DID,
    /// What the tool gave back, shortened.
    RESULT,
    /// What the agent says it is busy with.
    STATUS,
    /// What the agent must know before it can go on.
    QUESTION,
    /// Standard error.
    ERROR,
    /// The service's own words.
    NOTE
  }
}
