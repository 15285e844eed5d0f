package dev.runnel.service.agent;

import dev.runnel.service.run.Usage;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/// An event parsed from an agent's output.
public sealed interface AgentEvent {
  /// Text for people. The last paragraph is the answer unless there is an [Answer].
  record Message(String text) implements AgentEvent {}

  /// The agent used a tool.
  ///
  /// @param given the command, file or other input, shortened to one line
  record Did(String tool, String given) implements AgentEvent {
    private static final Set<String> SHELLS =
        Set.of("Bash", "bash", "shell", "run_shell_command", "exec_command");

    /// The text for the transcript: `Bash ls -l`.
    public String shown() {
      return given.isEmpty() ? tool : tool + " " + given;
    }

    /// The current activity, for people: `Running: ls -l`.
    public String busy() {
      if (SHELLS.contains(tool)) {
        return "Running: " + given;
      }
      return given.isEmpty() ? "Using " + tool : "Using " + tool + ": " + given;
    }
  }

  /// A shell command has ended.
  ///
  /// @param command shortened to one line
  /// @param exit its exit status; empty if the agent does not report it
  record Ran(String command, Optional<Integer> exit) implements AgentEvent {}

  /// The output of a tool.
  record Result(String text, boolean failed) implements AgentEvent {}

  /// The current activity.
  record Status(String text) implements AgentEvent {}

  /// A question that the agent needs answered to continue.
  record Question(String text) implements AgentEvent {}

  /// An answer that people can choose, to the last question.
  record Choice(String text) implements AgentEvent {}

  /// The complete answer, for agents that report it.
  record Answer(String text) implements AgentEvent {}

  /// The agent's session id, needed to resume the session.
  record Session(String id) implements AgentEvent {}

  /// The agent's plan as a list of steps; a later plan replaces it.
  record Planned(String text) implements AgentEvent {}

  /// The agent created or overwrote a file.
  record Wrote(String path) implements AgentEvent {}

  record Used(Usage usage) implements AgentEvent {}

  /// The agent has read a message that it was given while it worked.
  ///
  /// @param id see [Dialogue#message]
  record Taken(String id) implements AgentEvent {}

  /// The agent waits for a line on its standard input, by its protocol.
  record Awaits(String line) implements AgentEvent {}

  /// The agent reports that it finished; killed agents do not.
  record Finished() implements AgentEvent {}

  /// The agent reports that it failed, regardless of its exit status.
  record Failure(String why) implements AgentEvent {}

  /// Returns a copy with the function applied to all text that people read.
  default AgentEvent with(UnaryOperator<String> words) {
    return switch (this) {
      case Message(String text) -> new Message(words.apply(text));
      case Did(String tool, String given) -> new Did(words.apply(tool), words.apply(given));
      case Ran(String command, Optional<Integer> exit) -> new Ran(words.apply(command), exit);
      case Result(String text, boolean failed) -> new Result(words.apply(text), failed);
      case Status(String text) -> new Status(words.apply(text));
      case Question(String text) -> new Question(words.apply(text));
      case Choice(String text) -> new Choice(words.apply(text));
      case Answer(String text) -> new Answer(words.apply(text));
      case Planned(String text) -> new Planned(words.apply(text));
      case Failure(String why) -> new Failure(words.apply(why));
      case Session _, Wrote _, Used _, Taken _, Awaits _, Finished _ -> this;
    };
  }
}
