package dev.runnel.service.run;

import org.jspecify.annotations.Nullable;

/// How an execution ended, regardless of waiting follow-ups.
///
/// @param message for people: the answer, the question, or what went wrong
/// @param errorCode an error code of the API, as stored; null on success
public record ExecutionResult(
    ExecutionState state, String message, @Nullable String errorCode, boolean retryable) {
  private static final int SHOWN_OF_ID = 8;

  public static ExecutionResult succeeded(String answer) {
    return new ExecutionResult(ExecutionState.SUCCEEDED, answer, null, false);
  }

  public static ExecutionResult blocked(String question) {
    return new ExecutionResult(ExecutionState.BLOCKED, question, null, false);
  }

  public static ExecutionResult failed(String why) {
    return new ExecutionResult(ExecutionState.FAILED, why, "agent_process_failed", false);
  }

  /// The provider of the model was overloaded or had a fault.
  public static ExecutionResult providerOverloaded(String why) {
    return new ExecutionResult(ExecutionState.FAILED, why, "agent_process_failed", true);
  }

  /// The run reached its cost limit.
  public static ExecutionResult overBudget(String why) {
    return new ExecutionResult(ExecutionState.FAILED, why, "budget_exceeded", false);
  }

  /// The workspace could not be prepared, or the agent could not be started.
  public static ExecutionResult setupFailed(String why) {
    return new ExecutionResult(ExecutionState.FAILED, why, "environment_setup_failed", false);
  }

  /// The machine could not start another process or thread that the execution needed.
  public static ExecutionResult noResources() {
    return unavailable(
        "The machine could not start another process or thread. Reply to try again.");
  }

  /// The machine or the cluster has no room for the execution at present.
  public static ExecutionResult unavailable(String why) {
    return new ExecutionResult(ExecutionState.ERROR, why, "resource_unavailable", true);
  }

  /// The workspace was deleted because the disk was nearly full.
  public static ExecutionResult diskFull(long workspaceBytes) {
    return failed(
        "The agent was stopped and its workspace deleted: the disk was nearly full, and its workspace was the biggest, %d MiB. Reply to start again."
            .formatted(workspaceBytes / (1024 * 1024)));
  }

  /// A time limit was reached.
  public static ExecutionResult timedOut(String why) {
    return new ExecutionResult(ExecutionState.ERROR, why, "infrastructure_timeout", false);
  }

  /// The service failed, not the agent.
  ///
  /// @param execution see [#tellAdmin]
  public static ExecutionResult internalError(String runId, int execution) {
    return new ExecutionResult(
        ExecutionState.ERROR,
        "An unexpected error occurred in the run service. Reply to try again. "
            + tellAdmin(runId, execution),
        "internal_error",
        true);
  }

  /// What an operator needs to find the reason in the log.
  ///
  /// @param execution 1-based number of the execution within its run
  public static String tellAdmin(String runId, int execution) {
    return "If it fails again, tell your admin: run `%s`, execution %d."
        .formatted(runId.substring(0, Math.min(runId.length(), SHOWN_OF_ID)), execution);
  }

  /// Somebody declined the plan.
  public static ExecutionResult declined() {
    return new ExecutionResult(ExecutionState.CANCELLED, "The plan was declined.", null, false);
  }

  public static ExecutionResult cancelled() {
    return new ExecutionResult(ExecutionState.CANCELLED, "Cancelled.", null, false);
  }

  /// The node did not renew its lease. It may have lost its connection to the database.
  public static ExecutionResult nodeLost() {
    return new ExecutionResult(
        ExecutionState.ERROR,
        "The node that ran this was lost. Reply to continue.",
        "internal_error",
        true);
  }

  /// The service stopped. The run is not retried automatically, since executing an agent twice
  /// without notice is worse than reporting the interruption.
  public static ExecutionResult restarted() {
    return new ExecutionResult(
        ExecutionState.ERROR,
        "The service was restarted while the agent was working. Reply to continue.",
        "internal_error",
        true);
  }
}
