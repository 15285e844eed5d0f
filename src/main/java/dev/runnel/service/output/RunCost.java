package dev.runnel.service.output;

import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.limit.CostLimit;
import java.math.BigDecimal;
import java.util.Optional;

/// What a run costs: all its executions together.
public final class RunCost {
  private RunCost() {}

  /// The result of an execution that must not start, because the run has cost too much already.
  public static Optional<ExecutionResult> refuse(CostLimit limit, RunRow run) {
    return limit
        .reached(before(limit, run))
        .map(
            why ->
                ExecutionResult.notSetUp(
                    "The agent was not started: " + why + LimitWatch.LIMIT_OF_COST));
  }

  /// The cost while an execution works.
  ///
  /// @param run as it was before the execution
  /// @param output what the agent reports of this execution
  public static LimitWatch.Cost of(CostLimit limit, RunRow run, OutputRecorder output) {
    var before = before(limit, run);
    return worked -> {
      if (output.isFinished()) {
        // It is about to exit, and its work is done.
        return BigDecimal.ZERO;
      }
      var used = output.reported();
      var now = limit.cost(used.dollars().orElse(BigDecimal.ZERO), worked);
      return used.ofSession() && used.dollars().isPresent() ? now : before.add(now);
    };
  }

  private static BigDecimal before(CostLimit limit, RunRow run) {
    return limit.cost(run.dollars(), run.worked());
  }
}
