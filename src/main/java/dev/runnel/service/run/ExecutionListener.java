package dev.runnel.service.run;

import java.time.Duration;

/// Is notified of executions, after the commit. Called on the thread that made the change; must
/// return quickly and not throw.
public interface ExecutionListener {
  ExecutionListener NONE = new ExecutionListener() {};

  /// A run got a slot.
  ///
  /// @param source the API's `source` of the run
  /// @param waited how long the run was queued
  default void claimed(String source, Duration waited) {}

  /// @param state the state in which the execution ended, regardless of waiting follow-ups
  /// @param worked duration from the claim to the end
  default void ended(String source, ExecutionState state, Duration worked) {}

  /// The agent's model has used more tokens.
  ///
  /// @param added what was added to the run's usage
  default void used(Usage added) {}
}
