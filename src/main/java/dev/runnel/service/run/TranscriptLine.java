package dev.runnel.service.run;

import java.time.Instant;
import java.util.Optional;

/// A line of a run's transcript.
///
/// @param number 1-based number within the run
/// @param execution the execution that produced the line
/// @param text without a line terminator; only [Kind#ASKED] may span several lines
/// @param failed of a [Kind#RESULT], whether the tool failed; empty for other lines, and for those
///   of older versions
public record TranscriptLine(
    long number, int execution, Kind kind, Instant at, String text, Optional<Boolean> failed) {
  /// The kind of a line, which also identifies its author.
  public enum Kind {
    /// The input of the execution: the prompt, or the follow-ups.
    ASKED,
    /// Text from the agent.
    SAID,
    /// A tool the agent used.
    DID,
    /// The output of the tool, shortened.
    RESULT,
    /// The agent's report of its current activity.
    STATUS,
    /// A question that the agent needs answered to continue.
    QUESTION,
    /// A line of standard error.
    ERROR,
    /// Text from the service.
    NOTE
  }
}
