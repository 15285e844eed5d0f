package dev.runnel.app.server;

import dev.runnel.app.settings.KnownPlatforms;
import dev.runnel.core.model.ApiRuns;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.GroupLookup;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.core.policy.AccessRequest;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.port.CredentialRefused;
import dev.runnel.core.port.Surface;
import dev.runnel.core.scope.Defaults;
import dev.runnel.surface.ConnectedPlatform;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Finds the rule of a policy that decides about a request, and its decision.
///
/// @param platforms finds a connected platform by its id, to ask which of its groups contain a
///   person
/// @param defaulting the defaults that a new run has
public record PolicyTester(
    Policy policy, Function<String, Optional<ConnectedPlatform>> platforms, Defaulting defaulting) {
  /// Accounts of OpenID Connect have no platform.
  private static final String OIDC = "oidc";

  /// The places that are no platforms.
  private static final Set<String> OTHER_PLACES =
      Set.of(SurfaceId.CONSOLE.value(), ApiRuns.SURFACE.value());

  /// The options that rules depend on.
  private static final Set<String> LIMITED =
      Set.of(Defaults.ENVIRONMENT, Defaults.MODEL, Defaults.FACTORY);

  /// Resolves the options of a request for a new run.
  @FunctionalInterface
  public interface Defaulting {
    Defaults.Resolved resolve(Request request, Conversation where, Actor who);
  }

  public enum Result {
    PERMITTED,
    REFUSED,
    NOT_UNDERSTOOD,
    WAITS_FOR_APPROVAL
  }

  /// @param lines the findings, the decision last
  public record Answer(Result result, List<String> lines) {
    public Answer {
      lines = List.copyOf(lines);
    }
  }

  /// @param who `slack:T012AB/U012345`
  /// @param where `slack:T012AB/C012345`, `console` or `api`
  /// @param own whether it concerns the person's own run
  /// @param chosen `env`, `model`, and `groups`: groups of the platform that contain the person,
  ///   separated by commas, so that the platform is not asked
  public Answer test(
      String who, String verb, String where, boolean own, Map<String, String> chosen) {
    var permission = Permission.of(verb);
    if (permission.isEmpty()) {
      return invalid(
          "There is no verb %s. There are: %s."
              .formatted(
                  verb,
                  Stream.of(Permission.values())
                      .map(Permission::word)
                      .collect(Collectors.joining(", "))));
    }
    for (var name : List.of(who, where)) {
      if (!isKnown(name) && !(name.equals(where) && OTHER_PLACES.contains(name))) {
        return invalid(
            "%s does not begin with a platform, like slack:T012AB/U012345 or github:acme/shop."
                .formatted(name));
      }
    }
    var lines = new ArrayList<String>();
    if (!policy.hasRules()) {
      lines.add(
          "There are no policy.rules, so the rule of the platform decides: full members of a Slack"
              + " workspace may do everything, and people with write access on a tracker.");
    }
    var groups = groups(who, where, Optional.ofNullable(chosen.get("groups")), lines);
    if (!groups.isEmpty()) {
      lines.add("Groups    " + String.join(", ", groups.stream().sorted().toList()));
    }
    var options = options(who, permission.get(), where, chosen, lines);
    var request =
        new AccessRequest(
            names(who, groups),
            permission.get(),
            where,
            own,
            options.environment(),
            options.model(),
            options.factory().isPresent());
    return new Answer(
        policy.hasRules() ? byRules(request, lines) : byPlatform(request, groups, lines), lines);
  }

  /// The options that the run would have. A message to a run has those of that run, which is
  /// unknown here.
  private RunOptions options(
      String who,
      Permission permission,
      String where,
      Map<String, String> chosen,
      List<String> lines) {
    var options =
        RunOptions.NONE
            .withEnvironment(Optional.ofNullable(chosen.get(Defaults.ENVIRONMENT)))
            .withModel(Optional.ofNullable(chosen.get(Defaults.MODEL)));
    if (OTHER_PLACES.contains(where)
        || !(permission == Permission.START || permission == Permission.RETRY)) {
      return options;
    }
    // Without text, so that no route applies that chooses by words.
    var resolved =
        defaulting.resolve(new Request("", options), conversation(where), actor(who, where));
    resolved.chosen().entrySet().stream()
        .filter(each -> LIMITED.contains(each.getKey()) && !chosen.containsKey(each.getKey()))
        .map(
            each ->
                "%s %s, %s"
                    .formatted(each.getKey(), each.getValue().value(), each.getValue().from()))
        .forEach(each -> lines.add("Option    " + each));
    return resolved.request().options();
  }

  /// A conversation in the place. Only the places that contain it matter.
  private static Conversation conversation(String where) {
    var place = Conversation.parse(where);
    return place.isNumbered() || where.contains("#") || where.contains("!")
        ? place
        : Conversation.parse(where + "/0");
  }

  /// The person, as the place's platform names them; there nobody has the defaults of an account of
  /// another platform.
  private static Actor actor(String who, String where) {
    var id =
        who.startsWith(where.substring(0, where.indexOf(':') + 1))
            ? who.substring(Math.max(who.indexOf(':'), who.lastIndexOf('/')) + 1)
            : who;
    return new Actor(id, id);
  }

  private static Answer invalid(String why) {
    return new Answer(Result.NOT_UNDERSTOOD, List.of(why));
  }

  private static boolean isKnown(String name) {
    var surface = name.split(":", 2)[0];
    return name.indexOf(':') > 0
        && !name.endsWith(":")
        && (surface.equals(OIDC) || KnownPlatforms.surfaces().contains(surface));
  }

  private Result byRules(AccessRequest request, List<String> lines) {
    var verdict = policy.decide(request);
    var isWithoutOptions =
        request.environment().isEmpty() && request.model().isEmpty() && !request.hidden();
    if (request.permission() == Permission.START && isWithoutOptions && policy.limitsOptions()) {
      lines.add(
          "No default chooses an environment or a model, so rules with `with` do not match. Name"
              + " one.");
    }
    if (!verdict.isPermitted()) {
      lines.add("refused   %s. %s".formatted(verdict.rule(), verdict.words()));
      return Result.REFUSED;
    }
    return permitted(request, verdict.rule(), lines);
  }

  private Result byPlatform(AccessRequest request, Set<String> groups, List<String> lines) {
    if (groups.stream().noneMatch(each -> each.endsWith(":" + Policy.MEMBERS))) {
      lines.add("refused   not known as a member");
      return Result.REFUSED;
    }
    return permitted(request, "the rule of the platform", lines);
  }

  /// Whether a permitted start waits for an approval, which rules require also where the platform's
  /// own rule permits it.
  private Result permitted(AccessRequest request, String rule, List<String> lines) {
    if (request.permission() == Permission.START) {
      var approval = policy.approval(request, false).or(() -> policy.approval(request, true));
      if (approval.isPresent()) {
        lines.add(
            "approval  %s, then %s approves%s within %s%s"
                .formatted(
                    rule,
                    String.join(" or ", approval.get().by()),
                    approval.get().firstOfPerson() ? " a person's first run" : "",
                    approval.get().within().toMinutes() + " min",
                    " (" + approval.get().name() + ")"));
        return approval.get().firstOfPerson() ? Result.PERMITTED : Result.WAITS_FOR_APPROVAL;
      }
    }
    lines.add("permitted " + rule);
    return Result.PERMITTED;
  }

  /// The person's id alone, and within the workspace.
  private static Set<String> names(String who, Set<String> groups) {
    var names = new HashSet<>(groups);
    names.add(who);
    var surface = who.substring(0, who.indexOf(':') + 1);
    names.add(surface + who.substring(Math.max(surface.length(), who.lastIndexOf('/') + 1)));
    return names;
  }

  private Set<String> groups(String who, String where, Optional<String> given, List<String> lines) {
    if (given.isPresent()) {
      return Stream.of(given.get().split(",", -1)).map(String::strip).collect(Collectors.toSet());
    }
    var surface = who.split(":", 2)[0];
    var place = where.split(":", 2);
    if (!place[0].equals(surface) || place.length < 2) {
      return Set.of();
    }
    return platforms
        .apply(surface)
        .flatMap(
            each -> each.conversationIn(place[1]).map(it -> lookUp(each.surface(), it, who, lines)))
        .orElse(Set.of());
  }

  private Set<String> lookUp(
      Surface surface, Conversation conversation, String who, List<String> lines) {
    var id = who.substring(Math.max(who.indexOf(':'), who.lastIndexOf('/')) + 1);
    var delivery =
        new Delivery(
            new DeliveryId("policy-test"),
            "policy-test",
            conversation,
            new Actor(id, id),
            new Intent.Start(Request.of("policy test")),
            true,
            new Origin(Optional.empty(), Optional.empty(), Optional.empty(), false),
            InstantSource.system().instant());
    var groups = new HashSet<String>();
    var prefix = surface.id() + ":";
    try {
      var admission = surface.senders().admit(delivery);
      switch (admission) {
        case Admission.Admitted _ -> groups.add(prefix + Policy.MEMBERS);
        case Admission.Unknown(_, var why) -> lines.add("Not known: " + why);
        case Admission.TurnedAway(var why) -> lines.add("Not served: " + why);
        case Admission.Refused(_, var words) -> lines.add("Not served: " + words);
        case Admission.Outsider _ -> {}
      }
      switch (surface.senders().groups(delivery, policy.namesOn(surface.id().value()))) {
        case GroupLookup.Known(var names) -> names.forEach(name -> groups.add(prefix + name));
        case GroupLookup.Unknown(_, var why) -> lines.add("Not known: " + why);
      }
    } catch (CredentialRefused refused) {
      lines.add("Not known: " + refused.why());
    }
    return groups;
  }
}
