package dev.runnel.core.policy;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Groups of people, and rules about what they may do. The first rule that applies decides. What no
/// rule permits is refused. Without rules, each platform's own rule decides, which is
/// [dev.runnel.core.port.SenderLookup#admit].
///
/// @param groups the members of each group: names of people (`slack:U012345`), groups of a platform
///   (`slack:members`, `slack:group:S0PLAT`, `github:team:acme/platform`), and other groups
/// @param pricePerMinute the assumed cost of a minute of an agent, in budgets of money, if the run
///   service reports no cost; 0 for nothing
public record Policy(
    Map<String, List<String>> groups,
    List<Rule> rules,
    List<ApprovalRule> approvals,
    List<Budget> budgets,
    BigDecimal pricePerMinute) {
  public static final Policy NONE = new Policy(Map.of(), List.of(), List.of(), List.of());

  /// The group of people whom a platform's own rule permits: full members of a Slack workspace,
  /// people with write access on a tracker.
  public static final String MEMBERS = "members";

  private static final BigDecimal SECONDS_OF_A_MINUTE = BigDecimal.valueOf(60);

  /// Maximum number of runs that a watched channel starts in an hour if no budget is configured.
  private static final long DEFAULT_WATCH_RUNS = 5;

  /// Without a price.
  public Policy(
      Map<String, List<String>> groups,
      List<Rule> rules,
      List<ApprovalRule> approvals,
      List<Budget> budgets) {
    this(groups, rules, approvals, budgets, BigDecimal.ZERO);
  }

  public Policy {
    groups = Map.copyOf(groups);
    rules = List.copyOf(rules);
    approvals = List.copyOf(approvals);
    budgets = List.copyOf(budgets);
  }

  /// The use that budgets count.
  ///
  /// @param micros the known cost in millionths
  /// @param unpriced how long agents worked whose cost is unknown
  public Budget.Used used(long runs, Duration time, long micros, Duration unpriced) {
    var price =
        pricePerMinute
            .movePointRight(6)
            .multiply(BigDecimal.valueOf(unpriced.toSeconds()))
            .divide(SECONDS_OF_A_MINUTE, RoundingMode.HALF_UP);
    return new Budget.Used(runs, time, micros + price.longValue());
  }

  /// A copy that limits the starts of watched channels, even if no budget is configured for them.
  public Policy withWatchBudget() {
    if (budgets.stream().anyMatch(it -> it.per() == Budget.Per.WATCH)) {
      return this;
    }
    var all = new ArrayList<>(budgets);
    all.add(
        new Budget(
            "policy.budgets, per watch",
            Budget.Per.WATCH,
            Budget.Period.HOUR,
            Optional.of(DEFAULT_WATCH_RUNS),
            Optional.empty(),
            Optional.empty()));
    return new Policy(groups, rules, approvals, all, pricePerMinute);
  }

  /// A copy whose rules and approvals name environments by their ids.
  public Policy withEnvironmentIds(UnaryOperator<String> id) {
    return new Policy(
        groups,
        rules.stream().map(rule -> rule.withEnvironmentIds(id)).toList(),
        approvals.stream().map(rule -> rule.withEnvironmentIds(id)).toList(),
        budgets,
        pricePerMinute);
  }

  /// Whether a rule depends on the environment or the model of a run.
  public boolean limitsOptions() {
    return rules.stream()
        .anyMatch(rule -> !(rule.environments().isEmpty() && rule.models().isEmpty()));
  }

  public boolean hasRules() {
    return !rules.isEmpty();
  }

  public Verdict decide(AccessRequest request) {
    var groups = groupsOf(request.person());
    return rules.stream()
        .filter(rule -> rule.appliesTo(request, groups))
        .findFirst()
        .<Verdict>map(
            rule ->
                rule.permits()
                    ? new Verdict.Permitted(rule.name())
                    : new Verdict.Forbidden(rule.name(), refusal(request)))
        .orElseGet(() -> new Verdict.Unmatched(refusal(request)));
  }

  /// The approval that a start needs, if it needs one. The first rule that applies decides.
  ///
  /// @param isFirst whether the person never started a run before
  public Optional<ApprovalRule> approval(AccessRequest start, boolean isFirst) {
    return approvals.stream().filter(rule -> rule.appliesTo(start, isFirst)).findFirst();
  }

  /// A rule with the terms of a requested approval; empty if the rules changed since.
  public Optional<ApprovalRule> approvalRule(List<String> by, boolean notRequester) {
    return approvals.stream()
        .filter(rule -> rule.by().equals(by) && rule.notRequester() == notRequester)
        .findFirst();
  }

  /// @param person the names that rules may use for the person
  /// @param isMember whether the platform's own rule permits the person; here `any` means members,
  ///   because strangers may approve nothing
  public boolean mayApprove(
      ApprovalRule rule, Set<String> person, boolean isMember, boolean isRequester) {
    return !(isRequester && rule.notRequester())
        && ((isMember && rule.by().contains(Rule.ANY)) || isNamed(rule, person));
  }

  /// Whether a rule explicitly denies the permission to the person in the place. Unlike in
  /// [#permissions], the absence of a rule denies nothing.
  public boolean refuses(Set<String> person, String place, Permission permission) {
    var groups = groupsOf(person);
    var request = new AccessRequest(person, permission, place, false, noOption(), noOption());
    return rules.stream()
        .filter(rule -> rule.concerns(request, groups))
        .findFirst()
        .filter(rule -> !rule.permits())
        .isPresent();
  }

  /// Whether a rule names the person as one who may approve.
  public boolean isApprover(Set<String> person) {
    return approvals.stream().anyMatch(rule -> isNamed(rule, person));
  }

  private boolean isNamed(ApprovalRule rule, Set<String> person) {
    var groups = groupsOf(person);
    return rule.by().stream().anyMatch(each -> groups.contains(Rule.lower(each)));
  }

  /// The person's permissions in the place, with any environment.
  public Set<Permission> permissions(Set<String> person, String place) {
    var groups = groupsOf(person);
    var request = new AccessRequest(person, Permission.READ, place, false, noOption(), noOption());
    return Arrays.stream(Permission.values())
        .filter(
            each ->
                rules.stream()
                    .filter(rule -> rule.concerns(request.with(each), groups))
                    .findFirst()
                    .filter(Rule::permits)
                    .isPresent())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /// The names after `SURFACE:` that rules and groups use for people and groups of that platform:
  /// `members`, `group:S0PLAT`, `U012345`.
  public Set<String> namesOn(String surface) {
    return Stream.of(
            groups.values().stream().flatMap(List::stream),
            rules.stream().flatMap(rule -> rule.who().stream()),
            approvals.stream().flatMap(rule -> rule.by().stream()))
        .flatMap(each -> each)
        .filter(each -> each.startsWith(surface + ":"))
        .map(each -> each.substring(surface.length() + 1))
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /// The rules that can never decide anything, because an earlier rule applies to everything that
  /// they apply to. One sentence each.
  public List<String> unreachable() {
    var found = new ArrayList<String>();
    for (int i = 0; i < rules.size(); i++) {
      var rule = rules.get(i);
      rules.subList(0, i).stream()
          .filter(earlier -> covers(earlier, rule))
          .findFirst()
          .ifPresent(
              earlier ->
                  found.add(
                      "%s never decides anything: %s comes first and applies to all of it."
                          .formatted(rule.name(), earlier.name())));
    }
    return found;
  }

  private static boolean covers(Rule earlier, Rule later) {
    return !(earlier.isForEverybodyEverywhere() && later.isAlsoForConsole())
        && (earlier.who().contains(Rule.ANY) || earlier.who().containsAll(later.who()))
        && later.where().stream()
            .allMatch(
                place ->
                    earlier.where().stream()
                        .anyMatch(each -> each.equals(place) || Rule.contains(each, place)))
        && earlier.permissions().containsAll(later.permissions())
        && (earlier.environments().isEmpty()
            || (!later.environments().isEmpty()
                && earlier.environments().containsAll(later.environments())))
        && (earlier.models().isEmpty()
            || (!later.models().isEmpty() && earlier.models().containsAll(later.models())));
  }

  /// All names and groups of a person, in lower case.
  private Set<String> groupsOf(Set<String> person) {
    var all = person.stream().map(Rule::lower).collect(Collectors.toCollection(HashSet::new));
    // Groups may contain groups, so this repeats until nothing is added.
    boolean hasGrown;
    do {
      hasGrown = false;
      for (var group : groups.entrySet()) {
        if (group.getValue().stream().anyMatch(each -> all.contains(Rule.lower(each)))) {
          hasGrown |= all.add(Rule.lower(group.getKey()));
        }
      }
    } while (hasGrown);
    return all;
  }

  private String refusal(AccessRequest request) {
    var options = limits(request);
    var what =
        options.isEmpty()
            ? "You may not %s here.".formatted(request.permission().words())
            : "You may %s here only with %s.".formatted(request.permission().words(), options);
    var permitted =
        rules.stream()
            .filter(Rule::permits)
            .filter(rule -> rule.isWhere(request.place()))
            .filter(rule -> rule.permissions().contains(request.permission()))
            .filter(rule -> !rule.leavesOut(request.place()))
            .flatMap(rule -> rule.who().stream())
            .toList();
    return permitted.isEmpty()
        ? what + " Nobody may. Ask your Runnel admin."
        : what + " These may: " + PeopleNames.words(permitted, request.place()) + ".";
  }

  /// The environments and models with which a rule would permit the request; empty if none would.
  private String limits(AccessRequest request) {
    var groups = groupsOf(request.person());
    return rules.stream()
        .filter(rule -> rule.concerns(request, groups))
        .findFirst()
        .filter(Rule::permits)
        .map(
            rule ->
                Stream.of(
                        named("the environment", rule.environments()),
                        named("the model", rule.models()))
                    .filter(each -> !each.isEmpty())
                    .collect(Collectors.joining(" and ")))
        .orElse("");
  }

  private static String named(String kind, Set<String> names) {
    return names.isEmpty() ? "" : kind + " " + String.join(" or ", new TreeSet<>(names));
  }

  private static Optional<String> noOption() {
    return Optional.empty();
  }
}
