package dev.runnel.service.output;

import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.limit.CostLimit;
import java.math.BigDecimal;
import java.time.Duration;
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

  /// An agent that has finished is about to exit, and its work is done. It has this time for it,
  /// once: what a tool of the agent prints may look like the report that the agent has finished.
  private static final Duration EXIT_TIME = Duration.ofSeconds(10);

  /// Computes the cost of the run during an execution. It never falls.
  ///
  /// @param run as it was before the execution
  /// @param output what the agent reports of this execution
  public static LimitWatch.Cost of(CostLimit limit, RunRow run, OutputRecorder output) {
    return new Growing(limit, costBefore(limit, run), output);
  }

  /// Confined to the thread that watches the limits.
  private static final class Growing implements LimitWatch.Cost {
    private final CostLimit limit;
    private final BigDecimal costBefore;
    private final OutputRecorder output;
    private BigDecimal highest = BigDecimal.ZERO;
    private Optional<Duration> finishedAt = Optional.empty();

    Growing(CostLimit limit, BigDecimal costBefore, OutputRecorder output) {
      this.limit = limit;
      this.costBefore = costBefore;
      this.output = output;
    }

    @Override
    public BigDecimal after(Duration worked) {
      var used = output.reported();
      var now = limit.cost(used.dollars().orElse(BigDecimal.ZERO), worked);
      var all = used.ofSession() && used.dollars().isPresent() ? now : costBefore.add(now);
      highest = highest.max(all);
      if (finishedAt.isEmpty() && output.isFinished()) {
        finishedAt = Optional.of(worked);
      }
      var isExiting =
          finishedAt.filter(at -> worked.minus(at).compareTo(EXIT_TIME) < 0).isPresent();
      return isExiting ? BigDecimal.ZERO : highest;
    }
  }

  private static BigDecimal costBefore(CostLimit limit, RunRow run) {
    return limit.cost(run.dollars(), run.worked());
  }
}
