package dev.runnel.core.model;

import java.time.Instant;
import java.util.Optional;

/// A person asked to stop a run.
///
/// @param done when the run stood; empty while it is on its way
/// @param unsent how many messages waited for the run, and were taken back
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
