package dev.runnel.app.connect;

import java.io.PrintStream;
import java.util.Map;
import java.util.Optional;

/// A script, whose answers are known before the questions.
///
/// @param answers by the names of the questions
record PipedDialogue(PrintStream out, Map<String, String> answers) implements Dialogue {
  PipedDialogue {
    answers = Map.copyOf(answers);
  }

  @Override
  public void say(String line) {
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
  public boolean isWithPerson() {
    return false;
  }
}
