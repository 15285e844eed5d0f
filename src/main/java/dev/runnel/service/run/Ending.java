package dev.runnel.service.run;

import org.jspecify.annotations.Nullable;

/// How an execution ended, before anybody asks whether messages wait.
///
/// @param message for people: the answer, the question, or what went wrong
/// @param errorCode a code of the API; only where something went wrong
public record Ending(Phase phase, String message, @Nullable String errorCode, boolean retryable) {
  public static Ending succeeded(String answer) {
    return new Ending(Phase.SUCCEEDED, answer, null, false);
  }

  public static Ending blocked(String question) {
    return new Ending(Phase.BLOCKED, question, null, false);
  }

  public static Ending failed(String why) {
    return new Ending(Phase.FAILED, why, "agent_process_failed", false);
  }

  /// The workspace could not be made ready, or the agent not be started.
  public static Ending notSetUp(String why) {
    return new Ending(Phase.FAILED, why, "environment_setup_failed", false);
  }

  /// The machine had no room for what the execution needed.
  public static Ending noRoom() {
    return notSetUp("The machine had no room for one more process or thread. Reply to try again.");
  }

  /// The disk was needed for more than this run.
  public static Ending diskFull(long workspaceBytes) {
    return failed(
        "The agent was stopped and its workspace deleted: the disk was nearly full, and its workspace was the biggest, %d MiB. Reply to begin anew."
            .formatted(workspaceBytes / (1024 * 1024)));
  }

  /// A time limit was reached.
  public static Ending outOfTime(String why) {
    return new Ending(Phase.ERROR, why, "infrastructure_timeout", false);
  }

  /// The service failed, not the agent.
  public static Ending broken() {
    return new Ending(
        Phase.ERROR,
        "Something broke in the service, its log says what. Reply to try again.",
        "internal_error",
        true);
  }

  public static Ending cancelled() {
    return new Ending(Phase.CANCELLED, "Cancelled.", null, false);
  }

  /// The service itself stopped; running an agent twice silently would be worse than saying so.
  public static Ending restarted() {
    return new Ending(
        Phase.ERROR,
        "The service was restarted while the agent was working. Reply to continue.",
        "agent_process_failed",
        true);
  }
}
