package dev.runnel.core.model;

import java.time.Duration;
import java.util.Optional;

/// Whether a follow-up whose answer was lost reached its run.
public sealed interface Arrival {
  record Arrived() implements Arrival {}

  /// It did not, or saying it again does no harm.
  record NotArrived() implements Arrival {}

  /// The run does not show it, now or ever.
  record Unknowable() implements Arrival {}

  /// The run could not be read.
  record Busy(Optional<Duration> retryAfter, String why) implements Arrival {}
}
