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

  /// The same, and who said it is told so privately.
  ///
  /// @param why for the log
  /// @param words who may, and what to do
  record Refused(String why, String words) implements Admission {}

  /// The platform could not be asked.
  record Unknown(Optional<Duration> retryAfter, String why) implements Admission {}
}
