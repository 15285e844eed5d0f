package dev.runnel.core.model;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// A person's request to stop a run.
///
/// @param done when the run stopped; empty while the stop is pending
/// @param unsent number of messages that waited for the run and were withdrawn
/// @param left the text of these messages, in order
public record StopRequest(
    Actor by, Instant asked, Optional<Instant> done, int unsent, List<String> left) {
  public StopRequest {
    // Rows of an older version have none.
    left = Copies.of(left);
  }

  public static StopRequest asked(Actor by, Instant at) {
    return new StopRequest(by, at, Optional.empty(), 0, List.of());
  }

  public StopRequest doneAt(Instant at) {
    return new StopRequest(by, asked, Optional.of(at), unsent, left);
  }

  public StopRequest leavingUnsent(List<String> messages) {
    return new StopRequest(by, asked, done, messages.size(), messages);
  }
}
