package dev.runnel.service;

import java.io.IOException;

/// An agent cannot be started as the run asks for it.
final class AgentRefused extends IOException {
  private static final long serialVersionUID = 1;

  /// @param why for people
  AgentRefused(String why) {
    super(why);
  }

  String why() {
    return String.valueOf(getMessage());
  }
}
