package dev.runnel.surface.slack.read;

import dev.runnel.core.model.Admission;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.surface.kit.Recent;
import dev.runnel.surface.slack.api.SlackAccount;
import dev.runnel.surface.slack.api.SlackApi;
import dev.runnel.surface.slack.api.SlackResponse;
import dev.runnel.surface.slack.install.InstalledWorkspaces;
import dev.runnel.surface.slack.install.SlackWorkspaces;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.model.SlackIdentity;
import dev.runnel.surface.slack.model.SlackPlace;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Decides who may start and steer runs: full members of the workspaces that the operator accepted.
/// Guests, users of other workspaces, bots, and users that cannot be looked up may not.
///
/// A look-up is cached for ten minutes.
public final class SlackSenders {
  private static final int MAX = 10_000;
  private static final Duration FRESH = Duration.ofMinutes(10);

  /// Errors that concern the user, not our token.
  private static final Set<String> NOBODY =
      Set.of("user_not_found", "user_not_visible", "users_not_found", "invalid_user_id");

  private static final String MEMBERS_ONLY =
      "Only full members of this workspace can start, steer and stop runs. Guests, people of other"
          + " workspaces and bots cannot. Ask a member of the workspace to do it for you.";

  private static final String MISSING_SCOPE = "missing_scope";
  private static final String NOT_THERE =
      "The Slack app is not installed in this workspace any more.";
  private static final String NO_SCOPE =
      "I cannot see who you are, so I cannot do this: the Slack app lacks the permission"
          + " users:read. Whoever runs Runnel has to add it in the app's settings and install the"
          + " app again.";

  private record Person(String team, String user) {}

  private record Known(boolean isMember, Instant until) {}

  private final SlackConfig config;
  private final SlackWorkspaces workspaces;
  private final InstantSource clock;
  private final Map<Person, Known> known = Recent.map(MAX);

  public SlackSenders(SlackConfig config, SlackWorkspaces workspaces, InstantSource clock) {
    this.config = config;
    this.workspaces = workspaces;
    this.clock = clock;
  }

  public Admission admit(Delivery delivery) {
    var place = SlackPlace.of(delivery.conversation());
    var api = workspaces.of(place.team()).api();
    // The workspace of the token: in a shared channel (Slack Connect) the delivery may name
    // another.
    var team = workspaces.known(place.team()).map(SlackIdentity::team);
    if (team.isPresent() && !config.accepts(team.get())) {
      return refused(delivery, "nobody accepted its workspace", SlackConfig.toAccept(team.get()));
    }
    return switch (isMember(api, team, delivery.actor().id())) {
      case SlackResponse.Ok<Boolean>(Boolean isMember) when isMember -> Admission.ADMITTED;
      case SlackResponse.Ok<Boolean> _ ->
          refused(delivery, "who said it is no full member of the workspace", MEMBERS_ONLY);
      case SlackResponse.Wait<Boolean>(var after, var why) -> new Admission.Unknown(after, why);
      case SlackResponse.No<Boolean>(var error) ->
          switch (error) {
            // The refusal cannot be delivered, but the operator sees it.
            case InstalledWorkspaces.NOT_INSTALLED ->
                refused(delivery, "the app is not installed in its workspace any more", NOT_THERE);
            case MISSING_SCOPE -> refused(delivery, "Slack does not tell who said it", NO_SCOPE);
            // The error concerns our token, which the operator can fix.
            default ->
                new Admission.Unknown(
                    Optional.empty(), "Slack does not tell who said it: " + error);
          };
    };
  }

  /// @param team the workspace of the token; empty while it is unknown
  private SlackResponse<Boolean> isMember(SlackApi api, Optional<String> team, String user) {
    var person = new Person(team.orElse(""), user);
    var kept = known.get(person);
    if (kept != null && clock.instant().isBefore(kept.until())) {
      return new SlackResponse.Ok<>(kept.isMember());
    }
    return switch (api.account(user)) {
      case SlackResponse.Ok<SlackAccount> _ when team.isEmpty() ->
          new SlackResponse.Wait<>(
              Optional.empty(), "Slack did not say which workspace the token is of");
      case SlackResponse.Ok<SlackAccount>(var account) -> {
        var isMember = account.isFullMemberOf(person.team());
        known.put(person, new Known(isMember, clock.instant().plus(FRESH)));
        yield new SlackResponse.Ok<>(isMember);
      }
      case SlackResponse.No<SlackAccount>(var error) when NOBODY.contains(error) ->
          new SlackResponse.Ok<>(false);
      case SlackResponse.No<SlackAccount> no -> no.as();
      case SlackResponse.Wait<SlackAccount> later -> later.as();
    };
  }

  /// The Home tab opens without a request that could be answered with a refusal.
  private static Admission refused(Delivery delivery, String why, String words) {
    return delivery.intent() instanceof Intent.Ask(Question.Home _)
        ? new Admission.TurnedAway(why)
        : new Admission.Refused(why, words);
  }
}
