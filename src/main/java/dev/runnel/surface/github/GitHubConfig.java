package dev.runnel.surface.github;

import dev.runnel.surface.kit.SettingValues;
import dev.runnel.surface.kit.TrackerSettings;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// How to talk with GitHub.
///
/// @param webhookSecrets all valid at once, so that they can be rotated without an outage
/// @param token of the account that comments
/// @param apiUrl without a slash at its end; on Enterprise Server it ends in `/api/v3`
public record GitHubConfig(
    List<String> webhookSecrets, String token, URI apiUrl, TrackerSettings tracker) {
  static final String SECRET = "GITHUB_WEBHOOK_SECRET";
  static final String TOKEN = "GITHUB_TOKEN";
  static final String API_URL = "GITHUB_API_URL";

  private static final String DEFAULT_API_URL = "https://api.github.com";

  public GitHubConfig {
    webhookSecrets = List.copyOf(webhookSecrets);
    SettingValues.requireSecrets(SECRET, webhookSecrets);
    SettingValues.requireToken(TOKEN, token);
    SettingValues.requireAddress(API_URL, apiUrl, DEFAULT_API_URL);
  }

  /// Reads the settings by their names.
  ///
  /// @return empty when neither the secret nor the token is there
  /// @throws IllegalArgumentException with the setting's name and what is missing
  public static Optional<GitHubConfig> from(Map<String, String> settings) {
    var values = new SettingValues(settings);
    return values.areThere(SECRET, TOKEN)
        ? Optional.of(
            new GitHubConfig(
                values.list(SECRET),
                values.text(TOKEN).orElseThrow(),
                values.address(API_URL, DEFAULT_API_URL),
                TrackerSettings.from(settings)))
        : Optional.empty();
  }

  @Override
  public String toString() {
    return "GitHubConfig[apiUrl=%s, tracker=%s, secrets withheld]".formatted(apiUrl, tracker);
  }
}
