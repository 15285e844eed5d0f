package dev.runnel.app.connect;

import java.util.Optional;

/// How the command talks with whoever runs it.
interface Dialogue {
  void say(String line);

  /// @return the answer without spaces around it; empty if there is nobody to answer
  Optional<String> ask(Step.Ask question);

  /// Whether to repeat a check that failed.
  boolean shouldRetry();

  /// Whether there is a person, who can answer differently.
  boolean isWithPerson();
}
