package dev.runnel.service.agent;

import java.util.List;
import java.util.Map;

/// How an agent's process is started.
///
/// @param command program and arguments, which every user of the machine can read
/// @param input initial content of standard input, which is then closed unless the agent has a
///   [Dialogue]
/// @param environment variables in addition to those of every agent
public record Launch(List<String> command, String input, Map<String, String> environment) {
  public Launch {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
  }

  /// Leaves out the prompt and secrets of tool servers.
  @Override
  public String toString() {
    return "Launch[" + command.getFirst() + "]";
  }
}
