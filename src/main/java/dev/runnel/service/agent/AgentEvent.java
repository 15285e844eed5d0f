package dev.runnel.service.agent;

import dev.runnel.service.run.Usage;
import java.util.Set;
import java.util.function.UnaryOperator;

/// What a line of an agent's output means.
public sealed interface AgentEvent {
  /// A piece of text for people; the last paragraph is the answer unless [Answer] says
  /// otherwise.
  record Said(String text) implements AgentEvent {}

  /// A tool it used.
  ///
  /// @param given the command, the file, or whatever it was given, on one line and short
  record Did(String tool, String given) implements AgentEvent {
    private static final Set<String> SHELLS =
        Set.of("Bash", "bash", "shell", "run_shell_command", "exec_command");

    /// As the transcript keeps it: `Bash ls -l`.
    public String shown() {
      return given.isEmpty() ? tool : tool + " " + given;
    }

    /// What it is busy with, for people: `Running: ls -l`.
    public String busy() {
      if (SHELLS.contains(tool)) {
        return "Running: " + given;
      }
      return given.isEmpty() ? "Using " + tool : "Using " + tool + ": " + given;
    }
  }

  /// What a tool gave back.
  record Result(String text, boolean failed) implements AgentEvent {}

  /// What it is busy with.
  record Status(String text) implements AgentEvent {}

  /// What it must know before it can go on.
  record Question(String text) implements AgentEvent {}

  /// The whole answer, where an agent names it.
  record Answer(String text) implements AgentEvent {}

  /// The agent's own name for the session, to continue it later.
  record Session(String id) implements AgentEvent {}

  /// What it intends to do, step by step; a later one replaces it.
  record Planned(String text) implements AgentEvent {}

  /// A file that it wrote anew.
  record Wrote(String path) implements AgentEvent {}

  record Used(Usage usage) implements AgentEvent {}

  /// It says that it came to its end; killed agents do not.
  record Finished() implements AgentEvent {}

  /// It says that it failed, whatever its exit status will be.
  record Failure(String why) implements AgentEvent {}

  /// The same with its words changed, where people read them.
  default AgentEvent with(UnaryOperator<String> words) {
    return switch (this) {
      case Said(String text) -> new Said(words.apply(text));
      case Did(String tool, String given) -> new Did(words.apply(tool), words.apply(given));
      case Result(String text, boolean failed) -> new Result(words.apply(text), failed);
      case Status(String text) -> new Status(words.apply(text));
      case Question(String text) -> new Question(words.apply(text));
      case Answer(String text) -> new Answer(words.apply(text));
      case Planned(String text) -> new Planned(words.apply(text));
      case Failure(String why) -> new Failure(words.apply(why));
      case Session _, Wrote _, Used _, Finished _ -> this;
    };
  }
}
