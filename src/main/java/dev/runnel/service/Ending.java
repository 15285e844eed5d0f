package dev.runnel.service;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// How an execution ended, before anybody asks whether messages wait.
///
/// @param message for people: the answer, the question, or what went wrong
/// @param errorCode a code of the API; only where something went wrong
record Ending(Phase phase, String message, @Nullable String errorCode, boolean retryable) {
  private static final int CANNOT_RUN = 126;
  private static final int NOT_FOUND = 127;

  /// Neither the exit status nor the agent's words are believed alone: there are agents that end
  /// with 0 when they fail or are killed, and such that fail after they said all was well.
  static Ending of(Harness harness, int status, OutputRecorder.Heard heard) {
    if (status == 0 && heard.failure().isEmpty()) {
      if (harness.tellsItsEnd() && !heard.finished()) {
        return failed(
            "The agent ended before it was finished."
                + (heard.errors().isEmpty() ? "" : "\n" + heard.errors()));
      }
      var answer = heard.answer().isEmpty() ? "The agent finished without a word." : heard.answer();
      return heard.question().map(Ending::blocked).orElseGet(() -> succeeded(answer));
    }
    if (status == CANNOT_RUN || status == NOT_FOUND) {
      return notSetUp(
          heard.errors().isEmpty() ? "The agent's command cannot be run." : heard.errors());
    }
    return failed(
        heard
            .failure()
            .or(() -> Optional.of(heard.errors()).filter(errors -> !errors.isEmpty()))
            .orElse("The agent ended with exit status " + status + " and gave no reason."));
  }

  static Ending succeeded(String answer) {
    return new Ending(Phase.SUCCEEDED, answer, null, false);
  }

  static Ending blocked(String question) {
    return new Ending(Phase.BLOCKED, question, null, false);
  }

  static Ending failed(String why) {
    return new Ending(Phase.FAILED, why, "agent_process_failed", false);
  }

  /// The workspace could not be made ready, or the agent not be started.
  static Ending notSetUp(String why) {
    return new Ending(Phase.FAILED, why, "environment_setup_failed", false);
  }

  /// A time limit was reached.
  static Ending outOfTime(String why) {
    return new Ending(Phase.ERROR, why, "infrastructure_timeout", false);
  }

  /// The service failed, not the agent.
  static Ending broken() {
    return new Ending(
        Phase.ERROR,
        "Something broke in the service, its log says what. Reply to try again.",
        "internal_error",
        true);
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
