package dev.runnel.service.agent;

import dev.runnel.service.run.ToolCall;
import java.util.Optional;

/// Output of an agent that takes messages while it works: its standard input stays open after the
/// prompt, until it has finished and has read all that it was given. For each message that it
/// reads, it reports [AgentEvent.Taken].
public interface Dialogue extends Harness.OutputParser {
  /// The line that gives the agent a message. Another thread than that of [#parse] may call it.
  ///
  /// @param id by which the agent reports that it has read the message
  /// @return empty if the agent takes no message at this moment
  Optional<String> message(String id, String text);

  /// The agent waits for a permission.
  ///
  /// @param call empty for what no person may permit; it is refused
  record PermissionRequest(String id, Optional<ToolCall> call) {}

  /// The dialogue of an agent that may wait for permissions.
  interface WithPermissions extends Dialogue {
    /// The request for a permission that a line is; empty for every other line.
    ///
    /// @param line as the agent wrote it, with its secrets: it must not be kept
    Optional<PermissionRequest> permissionRequest(String line);

    /// The line that permits a call, exactly as it was requested.
    String permit(String request, ToolCall call);

    /// The line that refuses a call.
    ///
    /// @param why for the agent
    /// @param interrupts whether the agent ends with it
    String refuse(String request, String why, boolean interrupts);
  }
}
