package dev.runnel.surface.gitlab;

import dev.runnel.surface.kit.SettingValues;
import dev.runnel.surface.kit.StandardWebhooks;
import dev.runnel.surface.tracker.TrackerSettings;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The settings of the GitLab surface.
///
/// @param webhookSecrets secret tokens, or signing tokens, which start with `whsec_`; all valid at
///   once
/// @param token of the account that posts comments
/// @param url the base URL of its web interface, without a trailing slash
/// @param access the minimum role in a project for starting and steering runs
public record GitLabConfig(
    List<String> webhookSecrets, String token, URI url, Access access, TrackerSettings tracker) {
  static final String SECRET = "GITLAB_WEBHOOK_SECRET";
  static final String TOKEN = "GITLAB_TOKEN";
  static final String URL = "GITLAB_URL";
  static final String ACCESS = "GITLAB_ACCESS";

  private static final String DEFAULT_URL = "https://gitlab.com";

  /// GitLab's roles, by access level.
  public enum Access {
    REPORTER(20),
    DEVELOPER(30),
    MAINTAINER(40),
    OWNER(50);

    private final int level;

    Access(int level) {
      this.level = level;
    }

    boolean isIn(int accessLevel) {
      return accessLevel >= level;
    }
  }

  public GitLabConfig {
    webhookSecrets = List.copyOf(webhookSecrets);
    try {
      var _ = new StandardWebhooks(signingTokens(webhookSecrets));
    } catch (IllegalArgumentException malformed) {
      throw new IllegalArgumentException(SECRET + " " + malformed.getMessage() + ".", malformed);
    }
  }

  List<String> signingTokens() {
    return signingTokens(webhookSecrets);
  }

  private static List<String> signingTokens(List<String> secrets) {
    return secrets.stream().filter(StandardWebhooks::isKey).toList();
  }

  List<String> secretTokens() {
    return webhookSecrets.stream().filter(secret -> !StandardWebhooks.isKey(secret)).toList();
  }

  /// Reads the settings by variable name.
  ///
  /// @return empty when neither the secret nor the token is set
  /// @throws IllegalArgumentException with the setting's name and what is missing
  public static Optional<GitLabConfig> from(Map<String, String> settings) {
    var values = new SettingValues(settings);
    return values.areAllSet(SECRET, TOKEN)
        ? Optional.of(
            new GitLabConfig(
                values.secrets(SECRET),
                values.token(TOKEN),
                values.address(URL, DEFAULT_URL),
                values.choice(ACCESS, Access.DEVELOPER),
                TrackerSettings.from(settings)))
        : Optional.empty();
  }

  @Override
  public String toString() {
    return "GitLabConfig[url=%s, access=%s, tracker=%s, secrets withheld]"
        .formatted(url, access, tracker);
  }
}
