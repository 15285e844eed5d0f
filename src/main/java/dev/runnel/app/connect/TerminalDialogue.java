package dev.runnel.app.connect;

import java.io.Console;
import java.io.PrintStream;
import java.util.Optional;

/// The dialogue with a person at a terminal.
record TerminalDialogue(Console console, PrintStream out) implements Dialogue {
  @Override
  public void print(String line) {
    out.println(line);
  }

  @Override
  public Optional<String> ask(Step.Ask question) {
    var text =
        question.question()
            + (question.defaultValue().isEmpty() ? "" : " [" + question.defaultValue() + "]");
    return question.kind() == Step.Ask.Kind.SECRET
        ? Optional.ofNullable(console.readPassword("%s: ", text)).map(it -> new String(it).strip())
        : Optional.ofNullable(console.readLine("%s: ", text)).map(String::strip);
  }

  @Override
  public boolean shouldRetry() {
    var answer = console.readLine("Press Enter to try again, or q to stop: ");
    return answer != null && !answer.strip().equalsIgnoreCase("q");
  }

  @Override
  public boolean isInteractive() {
    return true;
  }
}
