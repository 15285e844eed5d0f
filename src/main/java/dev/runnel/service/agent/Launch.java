package dev.runnel.service.agent;

import java.util.List;
import java.util.Map;

/// How an agent's process is started.
///
/// @param command program and arguments; the whole machine can read them
/// @param input what standard input carries; it is closed after that
/// @param environment on top of what every agent finds there
public record Launch(List<String> command, String input, Map<String, String> environment) {
  public Launch {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
  }

  /// Never the prompt, nor secrets of tool servers.
  @Override
  public String toString() {
    return "Launch[" + command.getFirst() + "]";
  }
}
