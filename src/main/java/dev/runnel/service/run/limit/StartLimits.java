package dev.runnel.service.run.limit;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;

/// Decides whether runs may start. Runs that an agent starts count toward the limits of the person
/// who requested the agent's run. Thread-safe; called within a transaction of the service.
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

  /// @return why no run may start now; empty if runs may start
  Optional<String> frozen();

  /// Counts a run that an agent starts.
  ///
  /// @param delivery the id of the delivery that requested the root run
  /// @param run the id of the new run
  /// @return why it must not start, for the agent; empty if it may
  Optional<String> refuse(String delivery, String run);

  /// Stores the cost of a counted run so far.
  void used(String run, Duration worked, BigDecimal dollars);
}
