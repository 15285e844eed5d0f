package dev.runnel.service.agent;

import java.util.Optional;

/// Output of an agent that takes messages while it works: its standard input stays open after the
/// prompt, until it has finished and has read all that it was given. For each message that it
/// reads, it reports [AgentEvent.Taken].
public interface Dialogue extends Harness.OutputParser {
  /// The line that gives the agent a message. Another thread than that of [#hear] may call it.
  ///
  /// @param id by which the agent reports that it has read the message
  /// @return empty if the agent takes no message at this moment
  Optional<String> message(String id, String text);
}
