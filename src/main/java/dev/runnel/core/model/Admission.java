package dev.runnel.core.model;

import java.time.Duration;
import java.util.Optional;

/// Whether a delivery may have an effect.
public sealed interface Admission {
  Admission ADMITTED = new Admitted();

  record Admitted() implements Admission {}

  /// It has no effect, because its sender lacks the permission or it is not what it seemed to be.
  ///
  /// @param why for the log
  record TurnedAway(String why) implements Admission {}

  /// The same, and its sender gets a private answer.
  ///
  /// @param why for the log
  /// @param words the answer: who has the permission, and what to do
  record Refused(String why, String words) implements Admission {}

  /// The check failed because the platform could not be reached.
  record Unknown(Optional<Duration> retryAfter, String why) implements Admission {}
}
