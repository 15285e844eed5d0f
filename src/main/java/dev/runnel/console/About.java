package dev.runnel.console;

import java.util.List;

/// What the head of each page says about this installation.
///
/// @param agent what runs the agents, for people: `command claude -p`, `runs.example`
/// @param connected the platforms that are on, as people write them: `Slack`, `GitHub`
public record About(String agent, List<String> connected) {
  public About {
    connected = List.copyOf(connected);
  }

  public boolean hasSlack() {
    return connected.contains("Slack");
  }
}
