package dev.runnel.surface.slack.api;

import com.slack.api.methods.response.oauth.OAuthV2AccessResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

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
        team.map(it -> SlackApi.orEmpty(it.getId())).orElse(""),
        team.map(it -> SlackApi.orEmpty(it.getName())).orElse(""),
        response.isEnterpriseInstall(),
        SlackApi.orEmpty(response.getAppId()),
        SlackApi.orEmpty(response.getBotUserId()),
        SlackApi.orEmpty(response.getAccessToken()),
        Optional.ofNullable(response.getRefreshToken()).filter(it -> !it.isEmpty()),
        Optional.ofNullable(response.getExpiresIn()).map(Duration::ofSeconds),
        Arrays.stream(SlackApi.orEmpty(response.getScope()).split(",", -1))
            .map(String::strip)
            .filter(it -> !it.isEmpty())
            .collect(Collectors.toUnmodifiableSet()));
  }

  /// Omits the tokens.
  @Override
  public String toString() {
    return "SlackGrant[team=" + team + ", tokens withheld]";
  }
}
