package dev.runnel.core.model.run;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/// The result of a call to the run service.
public sealed interface Outcome {
  /// Accepted.
  record Done(Run run) implements Outcome {}

  /// The run does not exist, or Runnel's key has no access to it.
  record Missing() implements Outcome {}

  /// A permanent refusal.
  ///
  /// @param code the service's error code, for the log and to choose the message
  /// @param why one plain sentence for people, with what to do
  /// @param link where they can do it
  record Refused(String code, String why, Optional<URI> link) implements Outcome {}

  /// A temporary failure, or an unknown result: check whether it happened before trying again.
  ///
  /// @param retryAfter the service's `Retry-After`
  /// @param why for the log and the console
  record Unavailable(Optional<Duration> retryAfter, String why) implements Outcome {}
}
