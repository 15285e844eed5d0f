package dev.runnel.surface.github;

import dev.runnel.surface.tracker.TrackerSettings;
import java.net.URI;
import java.util.List;
import java.util.Set;

/// Settings of GitHub for tests.
public final class GitHubConfigs {
  private GitHubConfigs() {}

  /// Uses a personal access token; people with write access may start and steer runs.
  public static GitHubConfig withToken(
      List<String> webhookSecrets, String token, URI apiUrl, TrackerSettings tracker) {
    return new GitHubConfig(
        webhookSecrets,
        new GitHubIdentity.Token(token),
        apiUrl,
        GitHubConfig.Access.WRITE,
        List.of(),
        Set.of(),
        tracker);
  }
}
