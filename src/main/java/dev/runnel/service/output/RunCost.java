package dev.runnel.service.output;

import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.limit.CostLimit;
import java.math.BigDecimal;
import java.util.Optional;

/// The cost of a run: all its executions together.
public final class RunCost {
  private RunCost() {}

  /// The result of an execution that must not start, because the run has already reached its cost
  /// limit; empty if it may start.
  public static Optional<ExecutionResult> checkBeforeStart(CostLimit limit, RunRow run) {
    return limit
        .reached(costBefore(limit, run))
        .map(
            why ->
                ExecutionResult.overBudget(
                    "The agent was not started: " + why + LimitWatch.COST_LIMIT_HINT));
  }

  /// Computes the cost of the run during an execution.
  ///
  /// @param run as it was before the execution
  /// @param output what the agent reports of this execution
  public static LimitWatch.Cost of(CostLimit limit, RunRow run, OutputRecorder output) {
    var costBefore = costBefore(limit, run);
    return worked -> {
      if (output.isFinished()) {
        // It is about to exit, and its work is done.
        return BigDecimal.ZERO;
      }
      var used = output.reported();
      var now = limit.cost(used.dollars().orElse(BigDecimal.ZERO), worked);
      return used.ofSession() && used.dollars().isPresent() ? now : costBefore.add(now);
    };
  }

  private static BigDecimal costBefore(CostLimit limit, RunRow run) {
    return limit.cost(run.dollars(), run.worked());
  }
}
