package dev.runnel.app.connect;

import java.io.PrintStream;
import java.util.Map;
import java.util.Optional;

/// The dialogue with a script, which provides all answers in advance.
///
/// @param answers by the names of the questions
record PipedDialogue(PrintStream out, Map<String, String> answers) implements Dialogue {
  PipedDialogue {
    answers = Map.copyOf(answers);
  }

  @Override
  public void print(String line) {
    out.println(line);
  }

  @Override
  public Optional<String> ask(Step.Ask question) {
    return Optional.ofNullable(answers.get(question.name()));
  }

  @Override
  public boolean shouldRetry() {
    return false;
  }

  @Override
  public boolean isInteractive() {
    return false;
  }
}
