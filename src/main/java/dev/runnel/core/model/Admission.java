package dev.runnel.core.model;

import java.time.Duration;
import java.util.Optional;

/// Whether what was said counts.
public sealed interface Admission {
  Admission ADMITTED = new Admitted();

  record Admitted() implements Admission {}

  /// It has no effect: whoever said it may not, or it is not what it looked like.
  ///
  /// @param why for the log
  record TurnedAway(String why) implements Admission {}

  /// The platform could not be asked.
  record Unknown(Optional<Duration> retryAfter, String why) implements Admission {}
}
