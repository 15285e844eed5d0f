package dev.runnel.service.agent;

import dev.runnel.service.run.Usage;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/// An event parsed from an agent's output.
public sealed interface AgentEvent {
  /// Text for people. The last paragraph is the answer unless there is an [Answer].
  record Message(String text) implements AgentEvent {}

  /// The agent used a tool.
  ///
  /// @param input the command, file or other input, shortened to one line
  record ToolUse(String tool, String input) implements AgentEvent {
    private static final Set<String> SHELLS =
        Set.of("Bash", "bash", "shell", "run_shell_command", "exec_command");

    /// The text for the transcript: `Bash ls -l`.
    public String transcriptLine() {
      return input.isEmpty() ? tool : tool + " " + input;
    }

    /// The current activity, for people: `Running: ls -l`.
    public String activity() {
      if (SHELLS.contains(tool)) {
        return "Running: " + input;
      }
      return input.isEmpty() ? "Using " + tool : "Using " + tool + ": " + input;
    }
  }

  /// A shell command has ended.
  ///
  /// @param command shortened to one line
  /// @param exitStatus empty if the agent does not report it
  record CommandEnded(String command, Optional<Integer> exitStatus) implements AgentEvent {}

  /// The output of a tool.
  record ToolResult(String text, boolean failed) implements AgentEvent {}

  /// The current activity.
  record Status(String text) implements AgentEvent {}

  /// A question that the agent needs answered to continue.
  record Question(String text) implements AgentEvent {}

  /// A choice that people have as an answer to the last question.
  record Choice(String text) implements AgentEvent {}

  /// The complete answer, for agents that report it.
  record Answer(String text) implements AgentEvent {}

  /// The agent's session id, needed to resume the session.
  record Session(String id) implements AgentEvent {}

  /// The agent's plan as a list of steps; a later plan replaces it.
  record Plan(String text) implements AgentEvent {}

  /// The agent created or overwrote a file.
  record FileWritten(String path) implements AgentEvent {}

  /// The usage since the last report; see [Usage#ofSession].
  record UsageReport(Usage usage) implements AgentEvent {}

  /// The agent has read a message that it received while it worked.
  ///
  /// @param id see [Dialogue#message]
  record MessageRead(String id) implements AgentEvent {}

  /// A line that the agent's protocol requires on the agent's standard input.
  record InputLine(String line) implements AgentEvent {}

  /// The agent reports that it finished; killed agents do not.
  record Finished() implements AgentEvent {}

  /// The agent reports that it failed, regardless of its exit status.
  record Failure(String why) implements AgentEvent {}

  /// The agent reports an error after it finished, without any work since.
  record LateError(String why) implements AgentEvent {}

  /// What an agent says and does that the agent of the run has started. Its plan, words and end are
  /// not those of the run.
  record OfSubagent(AgentEvent event) implements AgentEvent {
    static List<AgentEvent> all(List<AgentEvent> events) {
      return events.stream().<AgentEvent>map(OfSubagent::new).toList();
    }
  }

  /// Returns a copy with the function applied to all text that people read.
  default AgentEvent redacted(UnaryOperator<String> redact) {
    return switch (this) {
      case Message(String text) -> new Message(redact.apply(text));
      case ToolUse(String tool, String input) ->
          new ToolUse(redact.apply(tool), redact.apply(input));
      case CommandEnded(String command, Optional<Integer> exitStatus) ->
          new CommandEnded(redact.apply(command), exitStatus);
      case ToolResult(String text, boolean failed) -> new ToolResult(redact.apply(text), failed);
      case Status(String text) -> new Status(redact.apply(text));
      case Question(String text) -> new Question(redact.apply(text));
      case Choice(String text) -> new Choice(redact.apply(text));
      case Answer(String text) -> new Answer(redact.apply(text));
      case Plan(String text) -> new Plan(redact.apply(text));
      case Failure(String why) -> new Failure(redact.apply(why));
      case LateError(String why) -> new LateError(redact.apply(why));
      case OfSubagent(AgentEvent event) -> new OfSubagent(event.redacted(redact));
      case Session _, FileWritten _, UsageReport _, MessageRead _, InputLine _, Finished _ -> this;
    };
  }
}
