package dev.runnel.service.run;

import java.util.List;

/// A piece of a run's transcript.
///
/// @param lines in order; a page of at most 1000, and fewer if they are long
/// @param mayGrow whether more lines may follow: there is a further page, or the run has not ended
public record TranscriptPart(List<TranscriptLine> lines, boolean mayGrow) {
  public TranscriptPart {
    lines = List.copyOf(lines);
  }
}
