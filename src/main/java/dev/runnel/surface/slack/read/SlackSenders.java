package dev.runnel.surface.slack.read;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.GroupLookup;
import dev.runnel.core.port.SenderLookup;
import dev.runnel.surface.kit.BoundedCaches;
import dev.runnel.surface.slack.api.SlackAccount;
import dev.runnel.surface.slack.api.SlackApi;
import dev.runnel.surface.slack.api.SlackResponse;
import dev.runnel.surface.slack.install.InstalledWorkspaces;
import dev.runnel.surface.slack.install.SlackWorkspaces;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.model.SlackIdentity;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackStep;
import dev.runnel.surface.slack.model.WatchedChannels;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Decides who may start and steer runs: full members of the workspaces that the operator accepted.
/// Guests, users of other workspaces, bots, and users that cannot be looked up may not.
///
/// A look-up is cached for ten minutes.
public final class SlackSenders implements SenderLookup {
  private static final int MAX = 10_000;
  private static final int MAX_GROUPS = 1_000;
  private static final String GROUP = "group:";
  private static final Duration CACHE_LIFETIME = Duration.ofMinutes(10);

  /// Errors that concern the user, not our token.
  private static final Set<String> USER_NOT_FOUND =
      Set.of("user_not_found", "user_not_visible", "users_not_found", "invalid_user_id");

  private static final String MEMBERS_ONLY =
      "Only full members of this workspace can start, steer and stop runs. Guests, people of other"
          + " workspaces and bots cannot. Ask a member of the workspace to do it for you.";

  private static final String NO_WORKFLOW =
      "No policy permits workflows to start runs. Ask whoever runs Runnel for a rule for"
          + " slack:workflow.";

  private static final String NO_SUCH_GROUP = "no_such_subteam";
  private static final String MISSING_SCOPE = "missing_scope";
  private static final String NOT_INSTALLED =
      "The Slack app is no longer installed in this workspace.";
  private static final String NO_SCOPE =
      "I cannot look up your account, so I cannot do this: the Slack app lacks the scope"
          + " users:read. Whoever runs Runnel has to add it in the app's settings and install the"
          + " app again.";

  /// @param team the workspace of the token
  /// @param named the workspace that the delivery names
  private record Person(String team, String named, String user) {}

  private record Membership(boolean isMember, Instant until) {}

  /// A user group of a workspace.
  private record Group(String team, String id) {}

  private record Members(Set<String> users, Instant until) {}

  private final SlackConfig config;
  private final SlackWorkspaces workspaces;
  private final InstantSource clock;
  private final Map<Person, Membership> memberships = BoundedCaches.map(MAX);
  private final Map<Group, Members> groups = BoundedCaches.map(MAX_GROUPS);

  public SlackSenders(SlackConfig config, SlackWorkspaces workspaces, InstantSource clock) {
    this.config = config;
    this.workspaces = workspaces;
    this.clock = clock;
  }

  @Override
  public Admission admit(Delivery delivery) {
    var place = SlackPlace.of(delivery.conversation());
    var api = workspaces.of(place.team()).api();
    // The workspace of the token. The delivery may name another, of which the sender must be a
    // member, too: a user id is that of a person only together with its workspace.
    var team = workspaces.known(place.team()).map(SlackIdentity::team);
    if (team.isPresent() && !config.accepts(team.get())) {
      return refused(delivery, "its workspace is not accepted", SlackConfig.toAccept(team.get()));
    }
    if (WatchedChannels.isRequester(delivery.actor())) {
      return config.behavior().watched().isWatching(delivery.actor())
          ? Admission.ADMITTED
          : new Admission.TurnedAway("the channel is no longer watched");
    }
    if (SlackStep.isRequester(delivery.actor())) {
      return new Admission.Outsider("sent by a workflow", Optional.of(NO_WORKFLOW));
    }
    return switch (isMember(api, team, place.team(), delivery.actor().id())) {
      case SlackResponse.Ok<Boolean>(Boolean isMember) when isMember -> Admission.ADMITTED;
      case SlackResponse.Ok<Boolean> _ ->
          outsider(delivery, "the sender is not a full member of the workspace");
      case SlackResponse.Wait<Boolean>(var after, var why) -> new Admission.Unknown(after, why);
      case SlackResponse.No<Boolean>(var error) ->
          switch (error) {
            // The refusal cannot be delivered, but the operator sees it.
            case InstalledWorkspaces.NOT_INSTALLED ->
                refused(delivery, "the app is no longer installed in its workspace", NOT_INSTALLED);
            case MISSING_SCOPE ->
                refused(delivery, "Slack does not return the sender's account", NO_SCOPE);
            // The error concerns our token, which the operator can fix.
            default ->
                new Admission.Unknown(
                    Optional.empty(), "Slack does not return the sender's account: " + error);
          };
    };
  }

  @Override
  public Optional<Set<String>> names(Delivery delivery) {
    return WatchedChannels.names(delivery.actor()).or(() -> SlackStep.names(delivery.actor()));
  }

  /// The real name in the profile, and the email address if the app may read it.
  @Override
  public Actor.Author author(Delivery delivery) {
    return account(delivery)
        .map(
            account ->
                new Actor.Author(account.name().orElse(delivery.actor().name()), account.email()))
        .orElseGet(() -> new Actor.Author(delivery.actor().name(), Optional.empty()));
  }

  private Optional<SlackAccount> account(Delivery delivery) {
    var api = workspaces.of(SlackPlace.of(delivery.conversation()).team()).api();
    return names(delivery).isEmpty()
            && api.account(delivery.actor().id()) instanceof SlackResponse.Ok<SlackAccount>(var it)
        ? Optional.of(it)
        : Optional.empty();
  }

  /// The time zone in the sender's profile; also empty if Slack does not return it.
  @Override
  public Optional<ZoneId> timeZone(Delivery delivery) {
    return account(delivery).flatMap(SlackAccount::zone);
  }

  /// The user groups that contain the sender. A group that Slack does not know contains nobody.
  ///
  /// @param names user groups are named `group:S0PLAT`; other names are left out
  @Override
  public GroupLookup groups(Delivery delivery, Set<String> names) {
    var place = SlackPlace.of(delivery.conversation());
    var found = new HashSet<String>();
    for (var name : names) {
      if (name.startsWith(GROUP)) {
        var group = new Group(place.team(), name.substring(GROUP.length()));
        switch (members(group)) {
          case SlackResponse.Ok<Set<String>>(var users) -> {
            if (users.contains(delivery.actor().id())) {
              found.add(name);
            }
          }
          case SlackResponse.Wait<Set<String>>(var after, var why) -> {
            return new GroupLookup.Unknown(after, why);
          }
          case SlackResponse.No<Set<String>>(var error) -> {
            if (!error.equals(NO_SUCH_GROUP)) {
              return new GroupLookup.Unknown(
                  Optional.empty(),
                  "Slack does not list the members of the user group %s (%s). The app needs the scope usergroups:read."
                      .formatted(group.id(), error));
            }
          }
        }
      }
    }
    return new GroupLookup.Known(found);
  }

  private SlackResponse<Set<String>> members(Group group) {
    var cached = groups.get(group);
    if (cached != null && clock.instant().isBefore(cached.until())) {
      return new SlackResponse.Ok<>(cached.users());
    }
    var response = workspaces.of(group.team()).api().userGroup(group.id());
    if (response instanceof SlackResponse.Ok<Set<String>>(var users)) {
      groups.put(group, new Members(users, clock.instant().plus(CACHE_LIFETIME)));
    }
    return response;
  }

  /// @param team the workspace of the token; empty while it is unknown
  /// @param named the workspace that the delivery names
  private SlackResponse<Boolean> isMember(
      SlackApi api, Optional<String> team, String named, String user) {
    var person = new Person(team.orElse(""), named, user);
    var cached = memberships.get(person);
    if (cached != null && clock.instant().isBefore(cached.until())) {
      return new SlackResponse.Ok<>(cached.isMember());
    }
    return switch (api.account(user)) {
      case SlackResponse.Ok<SlackAccount> _ when team.isEmpty() ->
          new SlackResponse.Wait<>(
              Optional.empty(), "Slack did not return the workspace of the token");
      case SlackResponse.Ok<SlackAccount>(var account) -> {
        var isMember = account.isFullMemberOf(person.team()) && account.isFullMemberOf(named);
        memberships.put(person, new Membership(isMember, clock.instant().plus(CACHE_LIFETIME)));
        yield new SlackResponse.Ok<>(isMember);
      }
      case SlackResponse.No<SlackAccount>(var error) when USER_NOT_FOUND.contains(error) ->
          new SlackResponse.Ok<>(false);
      case SlackResponse.No<SlackAccount> no -> no.as();
      case SlackResponse.Wait<SlackAccount> later -> later.as();
    };
  }

  private static Admission outsider(Delivery delivery, String why) {
    return new Admission.Outsider(
        why,
        delivery.intent() instanceof Intent.Ask(Question.Home _)
            ? Optional.empty()
            : Optional.of(MEMBERS_ONLY));
  }

  /// Opening the Home tab is not a request, so it gets no refusal.
  private static Admission refused(Delivery delivery, String why, String text) {
    return delivery.intent() instanceof Intent.Ask(Question.Home _)
        ? new Admission.TurnedAway(why)
        : new Admission.Refused(why, text);
  }
}
