package dev.runnel.testkit;

import dev.runnel.service.workspace.AgentUser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The account of agents in tests.
public final class AgentUsers {
  private static final int NUMBER = 64_321;

  private AgentUsers() {}

  /// Whether this process may start programs as another account.
  public static boolean isRoot() {
    return own().equals("0");
  }

  /// The number of the account of this process. As a setting, it lets agents have the same account,
  /// for root, too, whose agents could otherwise not enter the folders of tests.
  public static String own() {
    try {
      return Files.getAttribute(Path.of("/proc/self"), "unix:uid").toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// That of a Runnel that runs as the account of this process: another one for root, else its own.
  public static AgentUser any() {
    return isRoot() ? new AgentUser(NUMBER, NUMBER) : AgentUser.SAME;
  }
}
