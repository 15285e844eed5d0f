package dev.runnel.surface.jira;

import dev.runnel.surface.kit.SettingValues;
import dev.runnel.surface.tracker.IssueStage;
import dev.runnel.surface.tracker.TrackerSettings;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The settings of the Jira surface.
///
/// @param webhookSecrets all valid at once, so that they can be rotated without an outage
/// @param url the base URL of its web interface, without a trailing slash
/// @param email of the token's account, on Cloud; empty for Data Center
/// @param token of the account that posts comments
/// @param access the account ids (on Data Center user names) and `group:NAME`s that may start and
///   steer runs; empty for everybody who can edit the issue
/// @param transitions the name of the transition for each stage of a run
/// @param comments who sees what it posts on requests of Jira Service Management
public record JiraConfig(
    List<String> webhookSecrets,
    URI url,
    Optional<String> email,
    String token,
    Set<String> access,
    Map<IssueStage, String> transitions,
    CommentVisibility comments,
    TrackerSettings tracker) {
  /// Who sees a comment on a request of Jira Service Management. Elsewhere it makes no difference.
  public enum CommentVisibility {
    /// The agents of the service project.
    INTERNAL,
    /// Its customers, too.
    PUBLIC
  }

  static final String SECRET = "JIRA_WEBHOOK_SECRET";
  static final String URL = "JIRA_URL";
  static final String EMAIL = "JIRA_EMAIL";
  static final String TOKEN = "JIRA_TOKEN";
  static final String ACCESS = "JIRA_ACCESS";
  static final String TRANSITIONS = "JIRA_TRANSITIONS";
  static final String COMMENTS = "JIRA_COMMENTS";

  private static final String EXAMPLE = "https://acme.atlassian.net";
  private static final String CLOUD = ".atlassian.net";

  public JiraConfig {
    webhookSecrets = List.copyOf(webhookSecrets);
    access = Set.copyOf(access);
    transitions = Map.copyOf(transitions);
    if (email.isEmpty() && url.getHost().endsWith(CLOUD)) {
      throw new IllegalArgumentException(
          EMAIL + " is missing: on Jira Cloud a token works along with its account's e-mail.");
    }
  }

  /// Reads the settings by variable name.
  ///
  /// @return empty when none of them is set
  /// @throws IllegalArgumentException with the setting's name and what is missing
  public static Optional<JiraConfig> from(Map<String, String> settings) {
    var values = new SettingValues(settings);
    var email = values.text(EMAIL);
    if (!(email.isPresent()
        ? values.areAllSet(EMAIL, SECRET, URL, TOKEN)
        : values.areAllSet(SECRET, URL, TOKEN))) {
      return Optional.empty();
    }
    var transitions =
        IssueStage.read(values.list(TRANSITIONS)).orElseThrow(JiraConfig::badTransitions);
    return Optional.of(
        new JiraConfig(
            values.secrets(SECRET),
            values.address(URL, EXAMPLE),
            email,
            values.token(TOKEN),
            Set.copyOf(values.list(ACCESS)),
            transitions,
            values.choice(COMMENTS, CommentVisibility.INTERNAL),
            TrackerSettings.from(settings)));
  }

  private static IllegalArgumentException badTransitions() {
    return new IllegalArgumentException(
        TRANSITIONS
            + " lists transitions by name, such as running=Start progress, done=Send to review."
            + " The stages are running, blocked, done, failed and cancelled.");
  }

  boolean isCloud() {
    return email.isPresent();
  }

  String authorization() {
    return email
        .map(
            name ->
                "Basic "
                    + Base64.getEncoder()
                        .encodeToString((name + ":" + token).getBytes(StandardCharsets.UTF_8)))
        .orElse("Bearer " + token);
  }

  @Override
  public String toString() {
    return "JiraConfig[url=%s, cloud=%s, tracker=%s, secrets withheld]"
        .formatted(url, isCloud(), tracker);
  }
}
