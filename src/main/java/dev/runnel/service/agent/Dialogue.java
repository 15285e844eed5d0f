package dev.runnel.service.agent;

import dev.runnel.service.run.ToolCall;
import java.util.Optional;

/// Parses the output of an agent that accepts messages while it works. Its standard input stays
/// open after the prompt, until the agent has finished and has read all messages. For each message
/// that it reads, it reports [AgentEvent.MessageRead].
public interface Dialogue extends Harness.OutputParser {
  /// The line that sends a message to the agent. May be called on another thread than
  /// [Harness.OutputParser#parse].
  ///
  /// @param id by which the agent reports that it has read the message
  /// @return empty if the agent accepts no message now
  Optional<String> message(String id, String text);

  /// A request of the agent for a permission, for which it waits.
  ///
  /// @param call the call to permit; empty for a request that is always refused
  record PermissionRequest(String id, Optional<ToolCall> call) {}

  /// The dialogue of an agent that may wait for permissions.
  interface WithPermissions extends Dialogue {
    /// Parses a line as a request for a permission; empty if it is not one.
    ///
    /// @param line unredacted output of the agent; must not be stored
    Optional<PermissionRequest> permissionRequest(String line);

    /// The line that permits a call, exactly as it was requested.
    String permit(String request, ToolCall call);

    /// The line that refuses a call.
    ///
    /// @param why for the agent
    /// @param interrupts whether the agent also stops its turn
    String refuse(String request, String why, boolean interrupts);
  }
}
