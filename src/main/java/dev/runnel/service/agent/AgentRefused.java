package dev.runnel.service.agent;

import java.io.IOException;

/// The agent cannot be started as the run requests.
public final class AgentRefused extends IOException {
  private static final long serialVersionUID = 1;

  /// @param why the reason, for people
  AgentRefused(String why) {
    super(why);
  }

  public String why() {
    return String.valueOf(getMessage());
  }
}
