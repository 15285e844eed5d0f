package dev.runnel.surface.gitea;

import dev.runnel.surface.kit.SettingValues;
import dev.runnel.surface.tracker.TrackerSettings;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The settings of the Gitea and Forgejo surface.
///
/// @param webhookSecrets all valid at once, so that they can be rotated without an outage
/// @param token of the account that posts comments
/// @param url the base URL of its web interface, without a trailing slash
public record GiteaConfig(
    List<String> webhookSecrets, String token, URI url, TrackerSettings tracker) {
  static final String SECRET = "GITEA_WEBHOOK_SECRET";
  static final String TOKEN = "GITEA_TOKEN";
  static final String URL = "GITEA_URL";

  private static final String EXAMPLE = "https://gitea.example.com";

  public GiteaConfig {
    webhookSecrets = List.copyOf(webhookSecrets);
  }

  /// Reads the settings by variable name.
  ///
  /// @return empty when none of the three is set
  /// @throws IllegalArgumentException with the setting's name and what is missing
  public static Optional<GiteaConfig> from(Map<String, String> settings) {
    var values = new SettingValues(settings);
    return values.areAllSet(SECRET, TOKEN, URL)
        ? Optional.of(
            new GiteaConfig(
                values.secrets(SECRET),
                values.token(TOKEN),
                values.address(URL, EXAMPLE),
                TrackerSettings.from(settings)))
        : Optional.empty();
  }

  @Override
  public String toString() {
    return "GiteaConfig[url=%s, tracker=%s, secrets withheld]".formatted(url, tracker);
  }
}
