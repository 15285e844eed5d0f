package dev.runnel.service.run.limit;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;

/// Whether runs may start, and the limits of the person who asked for a run, to which the runs
/// count that its agent starts. Thread-safe; called within a transaction of the service.
public interface StartLimits {
  StartLimits NONE =
      new StartLimits() {
        @Override
        public Optional<String> frozen() {
          return Optional.empty();
        }

        @Override
        public Optional<String> refuse(String delivery, String run) {
          return Optional.empty();
        }

        @Override
        public void used(String run, Duration worked, BigDecimal dollars) {}
      };

  /// @return why no run starts now, whoever asks for it; empty if runs may start
  Optional<String> frozen();

  /// Counts a run that an agent starts.
  ///
  /// @param delivery the id of the message that asked for the first run of the family
  /// @param run the id of the new run
  /// @return why it must not start, for the agent; empty if it may
  Optional<String> refuse(String delivery, String run);

  /// Stores what a counted run came to so far.
  void used(String run, Duration worked, BigDecimal dollars);
}
