package dev.runnel.core.model;

import java.time.Instant;
import java.util.Optional;

/// A person's request to stop a run.
///
/// @param done when the run stopped; empty while the stop is pending
/// @param unsent number of messages that waited for the run and were withdrawn
public record StopRequest(Actor by, Instant asked, Optional<Instant> done, int unsent) {
  public static StopRequest asked(Actor by, Instant at) {
    return new StopRequest(by, at, Optional.empty(), 0);
  }

  public StopRequest doneAt(Instant at) {
    return new StopRequest(by, asked, Optional.of(at), unsent);
  }

  public StopRequest leavingUnsent(int messages) {
    return new StopRequest(by, asked, done, messages);
  }
}
