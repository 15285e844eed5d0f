package dev.runnel.client;

import dev.runnel.wire.RunItem;
import org.jspecify.annotations.Nullable;

/// What counts as a change of a run.
final class RunChange {
  private RunChange() {}

  /// @param before null: it was not read before
  static boolean isBetween(@Nullable RunItem before, RunItem now) {
    return before == null || !withoutRunTime(before).equals(withoutRunTime(now));
  }

  /// The service computes `run_time` at each read, so it moves while nothing happens.
  private static RunItem withoutRunTime(RunItem run) {
    return run.toBuilder().runTime("").build();
  }
}
