package dev.runnel.service;

import org.jspecify.annotations.Nullable;

/// How an execution ended, before anybody asks whether messages wait.
///
/// @param message for people: the answer, the question, or what went wrong
/// @param errorCode a code of the API; only where something went wrong
record Ending(Phase phase, String message, @Nullable String errorCode, boolean retryable) {
  static Ending succeeded(String answer) {
    return new Ending(Phase.SUCCEEDED, answer, null, false);
  }

  static Ending blocked(String question) {
    return new Ending(Phase.BLOCKED, question, null, false);
  }

  static Ending failed(String why) {
    return new Ending(Phase.FAILED, why, "agent_process_failed", false);
  }

  /// The agent could not even be started.
  static Ending notSetUp(String why) {
    return new Ending(Phase.FAILED, why, "environment_setup_failed", false);
  }

  static Ending cancelled() {
    return new Ending(Phase.CANCELLED, "Cancelled.", null, false);
  }

  /// The service itself stopped; running an agent twice silently would be worse than saying so.
  static Ending restarted() {
    return new Ending(
        Phase.ERROR,
        "The service was restarted while the agent was working. Reply to continue.",
        "agent_process_failed",
        true);
  }
}
