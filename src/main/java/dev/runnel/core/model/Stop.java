package dev.runnel.core.model;

import java.time.Instant;
import java.util.Optional;

/// A person asked to stop a run.
///
/// @param done when the run stood; empty while it is on its way
/// @param unsent how many messages waited for the run, and were taken back
public record Stop(Actor by, Instant asked, Optional<Instant> done, int unsent) {
  public static Stop asked(Actor by, Instant at) {
    return new Stop(by, at, Optional.empty(), 0);
  }

  public Stop doneAt(Instant at) {
    return new Stop(by, asked, Optional.of(at), unsent);
  }

  public Stop leavingUnsent(int messages) {
    return new Stop(by, asked, done, messages);
  }
}
