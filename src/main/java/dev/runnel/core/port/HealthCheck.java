package dev.runnel.core.port;

import java.util.List;

/// Checks the current state of Runnel's components. May make network calls and take seconds.
@FunctionalInterface
public interface HealthCheck {
  HealthCheck NONE = List::of;

  /// @param what the display name of the component: `Database`
  /// @param how its state, or what to do, in a sentence
  record Finding(String what, boolean isWell, String how) {}

  List<Finding> findings();
}
