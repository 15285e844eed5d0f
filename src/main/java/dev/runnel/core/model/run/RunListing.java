package dev.runnel.core.model.run;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// The result of listing runs.
public sealed interface RunListing {
  record Listed(List<Run> runs) implements RunListing {
    public Listed {
      runs = List.copyOf(runs);
    }
  }

  /// The run service could not be read.
  record Unavailable(Optional<Duration> retryAfter, String why) implements RunListing {}
}
