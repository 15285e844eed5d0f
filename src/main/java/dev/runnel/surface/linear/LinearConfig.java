package dev.runnel.surface.linear;

import dev.runnel.surface.kit.SettingValues;
import dev.runnel.surface.tracker.IssueStage;
import dev.runnel.surface.tracker.TrackerSettings;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The settings of the Linear surface.
///
/// @param webhookSecrets all valid at once
/// @param token a personal API key, which starts with `lin_api_`, or an OAuth token
/// @param url of the GraphQL API
/// @param access which members of the workspace may start and steer runs
/// @param states the name of the workflow state for each stage of a run
public record LinearConfig(
    List<String> webhookSecrets,
    String token,
    URI url,
    Access access,
    Map<IssueStage, String> states,
    TrackerSettings tracker) {
  static final String SECRET = "LINEAR_WEBHOOK_SECRET";
  static final String TOKEN = "LINEAR_TOKEN";
  static final String URL = "LINEAR_API_URL";
  static final String ACCESS = "LINEAR_ACCESS";
  static final String STATES = "LINEAR_STATES";

  private static final String DEFAULT_URL = "https://api.linear.app/graphql";

  /// Each value includes the ones before it.
  public enum Access {
    ADMIN,
    MEMBER,
    GUEST;

    boolean isIn(boolean admin, boolean guest) {
      return switch (this) {
        case ADMIN -> admin;
        case MEMBER -> !guest;
        case GUEST -> true;
      };
    }
  }

  public LinearConfig {
    webhookSecrets = List.copyOf(webhookSecrets);
    states = Map.copyOf(states);
  }

  /// Reads the settings by variable name.
  ///
  /// @return empty when neither the secret nor the token is set
  /// @throws IllegalArgumentException with the setting's name and what is missing
  public static Optional<LinearConfig> from(Map<String, String> settings) {
    var values = new SettingValues(settings);
    return values.areAllSet(SECRET, TOKEN)
        ? Optional.of(
            new LinearConfig(
                values.secrets(SECRET),
                values.token(TOKEN),
                values.address(URL, DEFAULT_URL),
                values.choice(ACCESS, Access.MEMBER),
                IssueStage.read(values.list(STATES)).orElseThrow(LinearConfig::badStates),
                TrackerSettings.from(settings)))
        : Optional.empty();
  }

  private static IllegalArgumentException badStates() {
    return new IllegalArgumentException(
        STATES
            + " lists workflow states by name, such as running=In Progress, done=In Review. The"
            + " stages are running, blocked, done, failed and cancelled.");
  }

  @Override
  public String toString() {
    return "LinearConfig[url=%s, access=%s, tracker=%s, secrets withheld]"
        .formatted(url, access, tracker);
  }
}
