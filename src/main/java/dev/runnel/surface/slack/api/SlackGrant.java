package dev.runnel.surface.slack.api;

import com.slack.api.methods.response.oauth.OAuthV2AccessResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Slack's response to an installation or a token refresh.
///
/// @param wholeOrganisation whether the app was installed for an organization, not for one
///   workspace
/// @param expiresIn empty when token rotation is off
public record SlackGrant(
    String team,
    String teamName,
    boolean wholeOrganisation,
    String app,
    String botUser,
    String token,
    Optional<String> refreshToken,
    Optional<Duration> expiresIn,
    Set<String> scopes) {
  static SlackGrant of(OAuthV2AccessResponse response) {
    var team = Optional.ofNullable(response.getTeam());
    return new SlackGrant(
        team.map(it -> orEmpty(it.getId())).orElse(""),
        team.map(it -> orEmpty(it.getName())).orElse(""),
        response.isEnterpriseInstall(),
        orEmpty(response.getAppId()),
        orEmpty(response.getBotUserId()),
        orEmpty(response.getAccessToken()),
        Optional.ofNullable(response.getRefreshToken()).filter(it -> !it.isEmpty()),
        Optional.ofNullable(response.getExpiresIn()).map(Duration::ofSeconds),
        Arrays.stream(orEmpty(response.getScope()).split(",", -1))
            .map(String::strip)
            .filter(it -> !it.isEmpty())
            .collect(Collectors.toUnmodifiableSet()));
  }

  private static String orEmpty(@Nullable String text) {
    return Objects.requireNonNullElse(text, "");
  }

  /// Omits the tokens.
  @Override
  public String toString() {
    return "SlackGrant[team=" + team + ", tokens withheld]";
  }
}
