package dev.runnel.core.model.conversation;

import java.time.Duration;
import java.util.Optional;

/// Whether a delivery may have an effect.
public sealed interface Admission {
  Admission ADMITTED = new Admitted();

  record Admitted() implements Admission {}

  /// It is ignored, because it turned out to be something else, or Runnel does not serve its place.
  ///
  /// @param why for the log
  record TurnedAway(String why) implements Admission {}

  /// The platform's own rule does not permit its sender. A policy of the operator may.
  ///
  /// @param why for the log
  /// @param words the private answer: who has the permission, and what to do; empty where the
  ///   platform has no private answers, because strangers must not be able to trigger posts
  record Outsider(String why, Optional<String> words) implements Admission {
    public Outsider(String why) {
      this(why, Optional.empty());
    }
  }

  /// Like [TurnedAway], but its sender gets a private answer.
  ///
  /// @param why for the log
  /// @param words the answer: who has the permission, and what to do
  record Refused(String why, String words) implements Admission {}

  /// The check failed because the platform could not be reached.
  record Unknown(Optional<Duration> retryAfter, String why) implements Admission {}
}
