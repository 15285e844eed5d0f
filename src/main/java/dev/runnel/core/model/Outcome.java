package dev.runnel.core.model;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/// What the run service answered.
public sealed interface Outcome {
  /// Accepted; this is the run now.
  record Done(Run run) implements Outcome {}

  /// There is no such run, or we may not see it.
  record Missing() implements Outcome {}

  /// A final no.
  ///
  /// @param code the service's error code, for the log and for choosing words
  /// @param why one plain sentence for people, with what to do
  /// @param link where they do it
  record Refused(String code, String why, Optional<URI> link) implements Outcome {}

  /// Not now, or nobody knows whether it happened: look before trying again.
  ///
  /// @param retryAfter how long the service asked us to wait
  /// @param why for the log and the console
  record Busy(Optional<Duration> retryAfter, String why) implements Outcome {}
}
