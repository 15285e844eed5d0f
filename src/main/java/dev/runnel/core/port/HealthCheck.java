package dev.runnel.core.port;

import java.util.List;

/// Checks the current state of Runnel's components. May make network calls and take seconds.
@FunctionalInterface
public interface HealthCheck {
  HealthCheck NONE = List::of;

  /// @param what the component, for people: `Database`
  /// @param how its state, or the remedy, in a sentence
  record Finding(String what, boolean isWell, String how) {}

  List<Finding> findings();
}
