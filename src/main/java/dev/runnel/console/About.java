package dev.runnel.console;

import java.util.List;

/// The data about this installation in the header of each page.
///
/// @param agent the agent's program or service, for people: `command claude -p`, `runs.example`
/// @param connected display names of the connected platforms: `Slack`, `GitHub`
public record About(String agent, List<String> connected) {
  public About {
    connected = List.copyOf(connected);
  }

  public boolean hasSlack() {
    return connected.contains("Slack");
  }
}
