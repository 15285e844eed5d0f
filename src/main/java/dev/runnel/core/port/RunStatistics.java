package dev.runnel.core.port;

import dev.runnel.core.model.run.RunState;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Data for statistics about the runs of the run service, also those that Runnel did not start.
public interface RunStatistics {
  /// For a run service that has no statistics.
  RunStatistics NONE = (_, _) -> Optional.empty();

  /// The runs created in an interval, oldest first.
  ///
  /// @param to exclusive
  /// @return empty if unknown
  Optional<List<Fact>> between(Instant from, Instant to);

  /// The creation days (UTC) of the runs that changed since an instant.
  ///
  /// @return empty if unknown, so that any run may have changed
  default Optional<Set<LocalDate>> daysChangedSince(Instant from) {
    return Optional.empty();
  }

  /// A run.
  ///
  /// @param startedAt when it first got a slot; empty if it never did
  /// @param worked how long agents worked
  /// @param source the service's name of what started it: `SLACK`
  /// @param environment its name; empty if it has none
  /// @param model empty if none was requested
  /// @param micros the cost in millionths; 0 if it is unknown
  record Fact(
      Instant createdAt,
      Optional<Instant> startedAt,
      Duration worked,
      RunState state,
      String source,
      String environment,
      String model,
      long micros) {}
}
