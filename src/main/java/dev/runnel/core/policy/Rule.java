package dev.runnel.core.policy;

import dev.runnel.core.model.conversation.Conversation;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/// One rule of a policy. It applies to a request if the person, the place, the permission, the
/// environment and the model all match. Letter case does not matter, because some platforms ignore
/// it in names.
///
/// @param name its name for people: `policy.rules[1]`
/// @param who groups of the policy, or names of people
/// @param where places: `any`, `slack`, `slack:T012AB/*`, `github:acme/shop`
/// @param permits whether it permits or denies the requests that it applies to
/// @param environments those that it applies to; empty for all and for runs without one
/// @param models the same for models
public record Rule(
    String name,
    List<String> who,
    List<String> where,
    Set<Permission> permissions,
    boolean permits,
    Set<String> environments,
    Set<String> models) {
  public static final String ANY = "any";

  /// The places of the console.
  private static final Set<String> IN_CONSOLE = Set.of("console", "api");

  public Rule {
    who = List.copyOf(who);
    where = List.copyOf(where);
    permissions = Set.copyOf(permissions);
    environments = Set.copyOf(environments);
    models = Set.copyOf(models);
  }

  Rule withEnvironmentIds(UnaryOperator<String> id) {
    return new Rule(
        name,
        who,
        where,
        permissions,
        permits,
        environments.stream().map(id).collect(Collectors.toSet()),
        models);
  }

  boolean appliesTo(AccessRequest request, Set<String> groups) {
    return concerns(request, groups)
        && contains(environments, request.environment(), request)
        && contains(models, request.model(), request);
  }

  /// [#appliesTo], whatever the environment and the model.
  boolean concerns(AccessRequest request, Set<String> groups) {
    return isFor(groups)
        && isWhere(request.place())
        && covers(request)
        && !isForStrangers(request, groups);
  }

  private boolean isForStrangers(AccessRequest request, Set<String> groups) {
    return leavesOut(request.place())
        && who.stream().noneMatch(each -> groups.contains(lower(each)));
  }

  /// Whether it leaves out the people in the console whom it does not name. Every account of a
  /// platform can ask to sign in there, and a rule for `any` in `any` is meant for the people in
  /// channels and repositories.
  boolean leavesOut(String place) {
    return isForEverybodyEverywhere() && isInConsole(place);
  }

  boolean isForEverybodyEverywhere() {
    return permits
        && who.contains(ANY)
        && where.contains(ANY)
        && where.stream().noneMatch(Rule::isInConsole);
  }

  /// Whether it applies to somebody in the console.
  boolean isAlsoForConsole() {
    return !isForEverybodyEverywhere()
        && where.stream().anyMatch(each -> each.equals(ANY) || isInConsole(each));
  }

  private static boolean isInConsole(String place) {
    return IN_CONSOLE.contains(place.split(":", 2)[0]);
  }

  boolean isFor(Set<String> groups) {
    return who.stream().anyMatch(each -> each.equals(ANY) || groups.contains(lower(each)));
  }

  boolean isWhere(String place) {
    return where.stream().anyMatch(each -> contains(each, place));
  }

  private boolean covers(AccessRequest request) {
    return permissions.contains(request.permission())
        || (request.own()
            && request.permission() == Permission.STOP
            && permissions.contains(Permission.STOP_OWN));
  }

  /// An unknown value is assumed to match a rule that denies, and not to match one that permits.
  private boolean contains(Set<String> limits, Optional<String> chosen, AccessRequest request) {
    return limits.isEmpty()
        || (request.hidden()
            ? !permits
            : chosen.filter(it -> limits.stream().anyMatch(it::equalsIgnoreCase)).isPresent());
  }

  /// Whether a place contains another one or a conversation: complete path segments must match.
  static boolean contains(String pattern, String place) {
    if (pattern.equals(ANY)) {
      return true;
    }
    var outer = pattern.endsWith("/*") ? pattern.substring(0, pattern.length() - 2) : pattern;
    return place.regionMatches(true, 0, outer, 0, outer.length())
        && Conversation.isEndOfPart(place, outer.length());
  }

  static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}
