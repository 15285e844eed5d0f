package dev.runnel.service.agent;

import dev.runnel.service.run.ExecutionRequest;
import java.util.HashMap;
import java.util.List;

/// An arbitrary shell command. Its output is the transcript; lines that start with `::status` or
/// `::blocked` report status or a question, and `::option` an answer to choose.
public record CommandAgent(String name, String command) implements Harness {
  private static final String STATUS = "::status ";
  private static final String BLOCKED = "::blocked ";
  private static final String CHOICE = "::option ";

  /// Passes only the prompt on standard input, unchanged. The configuration is in the variable
  /// `RUNNEL_CONFIG_JSON`, and the earlier conversation in the file that `RUNNEL_CONVERSATION_FILE`
  /// names.
  @Override
  public Launch launch(ExecutionRequest executionRequest, LaunchFiles launchFiles) {
    var environment = new HashMap<String, String>();
    environment.put("RUNNEL_CONFIG_JSON", executionRequest.configJson());
    launchFiles
        .conversationFile()
        .ifPresent(file -> environment.put("RUNNEL_CONVERSATION_FILE", file.toString()));
    return new Launch(List.of("/bin/sh", "-c", command), executionRequest.prompt(), environment);
  }

  /// Plain output does not contain such a report.
  @Override
  public boolean reportsCompletion() {
    return false;
  }

  /// The output of all that it starts is the transcript, whoever writes it.
  @Override
  public boolean speaksAlone() {
    return false;
  }

  @Override
  public OutputParser outputParser(ExecutionRequest executionRequest, LaunchFiles launchFiles) {
    return line -> {
      if (line.startsWith(STATUS)) {
        return List.of(new AgentEvent.Status(line.substring(STATUS.length()).strip()));
      }
      if (line.startsWith(BLOCKED)) {
        return List.of(new AgentEvent.Question(line.substring(BLOCKED.length()).strip()));
      }
      if (line.startsWith(CHOICE)) {
        return List.of(new AgentEvent.Choice(line.substring(CHOICE.length()).strip()));
      }
      return List.of(new AgentEvent.Message(line));
    };
  }

  /// Leaves out the command, which may contain a secret.
  @Override
  public String toString() {
    return "CommandAgent[" + name + "]";
  }
}
