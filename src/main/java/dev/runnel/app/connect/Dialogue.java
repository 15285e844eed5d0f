package dev.runnel.app.connect;

import java.util.Optional;

/// The dialogue with the person or script that runs the command.
interface Dialogue {
  void print(String line);

  /// @return the answer without spaces around it; empty if no answer is available
  Optional<String> ask(Step.Ask question);

  /// Whether to repeat a check that failed.
  boolean shouldRetry();

  /// Whether a person answers, who can correct an answer.
  boolean isInteractive();
}
