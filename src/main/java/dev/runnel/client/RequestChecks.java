package dev.runnel.client;

import dev.runnel.wire.AgentConfig;
import dev.runnel.wire.CreateRun;
import dev.runnel.wire.FollowUpMessage;
import dev.runnel.wire.McpServer;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Checks requests before they are sent. The records themselves are also read from services, which
/// may send less.
final class RequestChecks {
  private RequestChecks() {}

  static void check(CreateRun run) {
    if (!run.hasTask()) {
      throw new IllegalArgumentException(
          "A run needs a prompt, a skill, or a conversation to continue");
    }
    check(run.config());
  }

  /// An empty message is for a run that continues a saved conversation, which only the service
  /// knows.
  static void check(FollowUpMessage message) {
    if (message.message() == null && !message.hasContent()) {
      throw new IllegalArgumentException(
          "A follow-up needs a message, which may be empty, or attachments");
    }
  }

  static void check(@Nullable AgentConfig config) {
    check(config == null ? null : config.mcpServers());
  }

  static void check(@Nullable Map<String, McpServer> servers) {
    if (servers != null) {
      servers.forEach(
          (name, server) -> {
            if (server.ways() != 1) {
              throw new IllegalArgumentException(
                  "The tool server %s needs exactly one of warpId, command and url"
                      .formatted(name));
            }
          });
    }
  }
}
