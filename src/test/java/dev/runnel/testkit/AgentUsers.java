package dev.runnel.testkit;

import dev.runnel.service.workspace.AgentUser;

/// The account of agents in tests.
public final class AgentUsers {
  private static final int NUMBER = 64_321;

  private AgentUsers() {}

  /// Whether this process may start programs as another account.
  public static boolean isRoot() {
    return "root".equals(System.getProperty("user.name"));
  }

  /// That of a Runnel that runs as the account of this process: another one for root, else its own.
  public static AgentUser any() {
    return isRoot() ? new AgentUser(NUMBER, NUMBER) : AgentUser.SAME;
  }
}
