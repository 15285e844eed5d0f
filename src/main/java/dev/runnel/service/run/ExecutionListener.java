package dev.runnel.service.run;

import java.time.Duration;

/// Learns of executions, after the commit of what it learns. Called on the thread that made the
/// change; must return quickly and not throw.
public interface ExecutionListener {
  ExecutionListener NONE = new ExecutionListener() {};

  /// A slot was free for a run.
  ///
  /// @param source the API's `source` of the run
  /// @param waited for how long it was queued
  default void claimed(String source, Duration waited) {}

  /// @param as how it ended, whatever waits for the run
  /// @param worked from the claim to the end
  default void ended(String source, ExecutionState as, Duration worked) {}

  /// The agent's model used more.
  ///
  /// @param more what was added to the run's usage
  default void used(Usage more) {}
}
