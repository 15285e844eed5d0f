package dev.runnel.service.agent;

import java.io.IOException;

/// The agent cannot be started as the run requests.
public final class AgentRefused extends IOException {
  private static final long serialVersionUID = 1;

  /// @param why the reason, for people
  AgentRefused(String why) {
    super(why);
  }

  /// @param server the name of a tool server with a `warp_id`
  public static AgentRefused sharedServer(String server) {
    return new AgentRefused(
        "The tool server %s is a shared server of another service, which is not available here. Give its command or its url instead of warp_id."
            .formatted(server));
  }

  public String why() {
    return String.valueOf(getMessage());
  }
}
