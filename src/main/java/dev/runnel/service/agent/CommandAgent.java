package dev.runnel.service.agent;

import dev.runnel.service.run.ExecutionRequest;
import java.util.HashMap;
import java.util.List;

/// Any command, run by the shell: its output is the transcript, `::status` and `::blocked` at the
/// start of a line are for the service.
public record CommandAgent(String name, String command) implements Harness {
  private static final String STATUS = "::status ";
  private static final String BLOCKED = "::blocked ";

  /// The prompt alone, byte for byte: a command finds the rest in `RUNNEL_CONFIG_JSON`, and in the
  /// file `RUNNEL_CONVERSATION_FILE` what was said before.
  @Override
  public Launch launch(ExecutionRequest executionRequest, LaunchFiles launchFiles) {
    var environment = new HashMap<String, String>();
    environment.put("RUNNEL_CONFIG_JSON", executionRequest.configJson());
    launchFiles
        .recalled()
        .ifPresent(file -> environment.put("RUNNEL_CONVERSATION_FILE", file.toString()));
    return new Launch(List.of("/bin/sh", "-c", command), executionRequest.prompt(), environment);
  }

  /// It speaks no language in which it could.
  @Override
  public boolean tellsItsEnd() {
    return false;
  }

  @Override
  public Ears ears() {
    return line -> {
      if (line.startsWith(STATUS)) {
        return List.of(new AgentEvent.Status(line.substring(STATUS.length()).strip()));
      }
      if (line.startsWith(BLOCKED)) {
        return List.of(new AgentEvent.Question(line.substring(BLOCKED.length()).strip()));
      }
      return List.of(new AgentEvent.Said(line));
    };
  }

  /// Never the command: it may hold a secret.
  @Override
  public String toString() {
    return "CommandAgent[" + name + "]";
  }
}
