package dev.runnel.service.agent;

import java.io.IOException;

/// An agent cannot be started as the run asks for it.
public final class AgentRefused extends IOException {
  private static final long serialVersionUID = 1;

  /// @param why for people
  AgentRefused(String why) {
    super(why);
  }

  public String why() {
    return String.valueOf(getMessage());
  }
}
