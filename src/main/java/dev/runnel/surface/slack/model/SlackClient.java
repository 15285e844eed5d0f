package dev.runnel.surface.slack.model;

import java.util.List;

/// The app's OAuth client, by which it is installed in workspaces.
///
/// @param secrets the first is Slack's current client secret; the others only decrypt stored tokens
public record SlackClient(String id, List<String> secrets) {
  public SlackClient {
    secrets = List.copyOf(secrets);
    if (id.isBlank()) {
      throw new IllegalArgumentException(SlackConfig.CLIENT_ID + " needs the app's client id.");
    }
    if (secrets.isEmpty() || secrets.stream().anyMatch(String::isBlank)) {
      throw new IllegalArgumentException(
          SlackConfig.CLIENT_SECRET
              + " needs the app's client secret, or several separated by commas.");
    }
  }

  public String secret() {
    return secrets.getFirst();
  }

  /// Omits the secrets.
  @Override
  public String toString() {
    return "SlackClient[id=" + id + ", secrets withheld]";
  }
}
