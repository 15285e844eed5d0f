package dev.runnel.client;

import dev.runnel.wire.RunItem;
import org.jspecify.annotations.Nullable;

/// Defines what counts as a change of a run.
final class RunChange {
  private RunChange() {}

  /// @param before the previous state; null if it was not read before
  static boolean isBetween(@Nullable RunItem before, RunItem now) {
    return before == null || !withoutRunTime(before).equals(withoutRunTime(now));
  }

  /// Ignores `run_time`, which the service computes at each read, so that it changes while nothing
  /// happens.
  private static RunItem withoutRunTime(RunItem run) {
    return run.toBuilder().runTime("").build();
  }
}
