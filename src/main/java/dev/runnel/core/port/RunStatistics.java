package dev.runnel.core.port;

import dev.runnel.core.model.RunState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The runs of the run service as numbers, also those that Runnel did not start.
public interface RunStatistics {
  /// For a run service that has no statistics.
  RunStatistics NONE = _ -> Optional.empty();

  /// The runs created since an instant, oldest first.
  ///
  /// @return empty if the service cannot say it
  Optional<List<Fact>> since(Instant from);

  /// A run.
  ///
  /// @param startedAt when it first got a slot; empty if it never did
  /// @param worked how long agents worked
  /// @param source the service's name of what started it: `SLACK`
  /// @param environment its name; empty if it has none
  /// @param model empty if none was asked for
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
