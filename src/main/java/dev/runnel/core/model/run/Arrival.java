package dev.runnel.core.model.run;

import java.time.Duration;
import java.util.Optional;

/// Whether a follow-up whose response was lost reached its run.
public sealed interface Arrival {
  record Arrived() implements Arrival {}

  /// It did not, or sending it again is harmless.
  record NotArrived() implements Arrival {}

  /// The run service cannot tell, now or later.
  record Unknowable() implements Arrival {}

  /// The run could not be read.
  record Unavailable(Optional<Duration> retryAfter, String why) implements Arrival {}
}
