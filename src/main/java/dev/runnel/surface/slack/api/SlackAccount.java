package dev.runnel.surface.slack.api;

import com.slack.api.model.User;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A Slack user, as returned to the workspace of the token. See
/// https://docs.slack.dev/reference/objects/user-object
///
/// @param isPerson neither a bot nor deactivated
/// @param isGuest a guest with access to some channels only, or a user of another organization
/// @param teams the workspaces the user is a member of; several on Enterprise Grid
/// @param zone the time zone in the profile
/// @param name the display name
/// @param email empty if the app lacks the scope `users:read.email`
public record SlackAccount(
    boolean isPerson,
    boolean isGuest,
    Set<String> teams,
    Optional<ZoneId> zone,
    Optional<String> name,
    Optional<String> email) {
  static final SlackAccount UNKNOWN =
      new SlackAccount(
          false, false, Set.of(), Optional.empty(), Optional.empty(), Optional.empty());

  /// Slack's API reports Slackbot as a person.
  private static final String SLACKBOT = "USLACKBOT";

  public SlackAccount {
    teams = Set.copyOf(teams);
  }

  static SlackAccount of(User user) {
    return new SlackAccount(
        !user.isBot()
            && !user.isWorkflowBot()
            && !user.isConnectorBot()
            && !user.isDeleted()
            && !SLACKBOT.equals(user.getId()),
        user.isRestricted() || user.isUltraRestricted() || user.isStranger(),
        Stream.concat(
                Stream.ofNullable(user.getTeamId()),
                Stream.of(
                        Optional.ofNullable(user.getEnterpriseUser())
                            .map(User.EnterpriseUser::getTeams),
                        Optional.ofNullable(user.getTeams()))
                    .flatMap(Optional::stream)
                    .flatMap(SlackAccount::ids))
            .collect(Collectors.toUnmodifiableSet()),
        Optional.ofNullable(user.getTz())
            .filter(ZoneId.getAvailableZoneIds()::contains)
            .map(ZoneId::of),
        Optional.ofNullable(user.getProfile())
            .flatMap(
                profile ->
                    Stream.of(profile.getRealName(), profile.getDisplayName())
                        .filter(name -> name != null && !name.isBlank())
                        .findFirst()),
        Optional.ofNullable(user.getProfile())
            .flatMap(profile -> Optional.ofNullable(profile.getEmail()))
            .filter(email -> !email.isBlank()));
  }

  private static Stream<String> ids(List<@Nullable String> teams) {
    return teams.stream().flatMap(Stream::ofNullable);
  }

  public boolean isFullMemberOf(String team) {
    return isPerson && !isGuest && teams.contains(team);
  }
}
