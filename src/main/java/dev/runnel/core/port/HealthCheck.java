package dev.runnel.core.port;

import java.util.List;

/// How the parts of Runnel are just now. May call out and take seconds.
@FunctionalInterface
public interface HealthCheck {
  HealthCheck NONE = List::of;

  /// @param what the part, for people: `Database`
  /// @param how how it is, or what to do about it, in a sentence
  record Finding(String what, boolean isWell, String how) {}

  List<Finding> findings();
}
