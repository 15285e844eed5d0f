package dev.runnel.app.settings;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.policy.ApprovalRule;
import dev.runnel.core.policy.Budget;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.policy.Rule;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Reads `policy` of the file, except `policy.installations`, which are settings of the platforms.
final class PolicySettings {
  static final String PLACE = "policy";
  static final String INSTALLATIONS = "installations";

  private static final List<String> KEYS =
      List.of(
          INSTALLATIONS,
          "groups",
          "rules",
          "approve",
          "budgets",
          "price_per_minute",
          "wider_than_asked");
  private static final List<String> RULE_KEYS = List.of("who", "where", "may", "may_not", "with");
  private static final List<String> APPROVAL_KEYS = List.of("when", "by", "not", "within");
  private static final List<String> CONDITION_KEYS =
      List.of("environment", "model", "where", "first_run_of");
  private static final List<String> BUDGET_KEYS = List.of("per", "in", "runs", "minutes", "money");
  private static final Pattern NUMBER = Pattern.compile("\\d{1,9}(?:\\.\\d{1,6})?");
  private static final BigDecimal SIXTY = BigDecimal.valueOf(60);
  private static final String ALL = "all";
  private static final String REQUESTER = "requester";

  private final YamlSection part;
  private final List<String> surfaces;

  private PolicySettings(Path file, List<String> surfaces) {
    this.part = new YamlSection(file);
    this.surfaces = surfaces;
  }

  /// @param surfaces the names that people and places may begin with: `slack`, `github`
  static Policy read(JsonNode tree, Path file, List<String> surfaces) {
    return tree.isMissingNode() || tree.isNull()
        ? Policy.NONE
        : new PolicySettings(file, surfaces).policy(tree);
  }

  /// Whether the key of the file is read here, and not as a setting.
  static boolean reads(String key) {
    return key.startsWith(PLACE + ".") && !key.startsWith(PLACE + "." + INSTALLATIONS);
  }

  private Policy policy(JsonNode tree) {
    part.checkKeys(PLACE, tree, KEYS);
    var wider = part.text(PLACE + ".wider_than_asked", tree.path("wider_than_asked"));
    if (wider.isPresent() && !wider.get().equals("refuse")) {
      throw part.wrong(
          PLACE + ".wider_than_asked",
          "must be refuse: what was said in a private place is never posted in a wider one");
    }
    var groups = groups(tree.path("groups"));
    var rules = new ArrayList<Rule>();
    var place = PLACE + ".rules";
    for (var each : elements(place, tree.path("rules"))) {
      rules.add(rule(place + "[" + rules.size() + "]", each, groups));
    }
    var approvals = new ArrayList<ApprovalRule>();
    place = PLACE + ".approve";
    for (var each : elements(place, tree.path("approve"))) {
      approvals.add(approval(place + "[" + approvals.size() + "]", each, groups));
    }
    var budgets = new ArrayList<Budget>();
    place = PLACE + ".budgets";
    for (var each : elements(place, tree.path("budgets"))) {
      budgets.add(budget(place + "[" + budgets.size() + "]", each));
    }
    var price = number(PLACE + ".price_per_minute", tree.path("price_per_minute"));
    return new Policy(groups, rules, approvals, budgets, price.orElse(BigDecimal.ZERO));
  }

  private Map<String, List<String>> groups(JsonNode tree) {
    var groups = new LinkedHashMap<String, List<String>>();
    var place = PLACE + ".groups";
    if (!tree.isMissingNode() && !tree.isNull() && !tree.isObject()) {
      throw part.wrong(place, "must hold groups, like staff: [slack:members]");
    }
    for (var entry : tree.properties()) {
      if (entry.getKey().contains(":") || entry.getKey().equals(Rule.ANY)) {
        throw part.wrong(place + "." + entry.getKey(), "cannot be the name of a group");
      }
      groups.put(entry.getKey(), strings(place + "." + entry.getKey(), entry.getValue()));
    }
    groups.forEach(
        (name, members) -> members.forEach(it -> checkPerson(place + "." + name, it, groups)));
    return groups;
  }

  private Rule rule(String name, JsonNode tree, Map<String, List<String>> groups) {
    part.checkKeys(name, tree, RULE_KEYS);
    var permits = tree.hasNonNull("may");
    if (permits == tree.hasNonNull("may_not")) {
      throw part.wrong(name, "needs one of may and may_not, like may: [start, say]");
    }
    var who = people(name + ".who", tree.path("who"), groups);
    var where = places(name + ".where", tree.path("where"));
    var verbs = permits ? "may" : "may_not";
    var with = tree.path("with");
    if (!with.isMissingNode() && !with.isNull()) {
      part.checkKeys(name + ".with", with, List.of("environments", "models"));
    }
    return new Rule(
        name,
        who,
        where,
        permissions(name + "." + verbs, tree.path(verbs)),
        permits,
        Set.copyOf(strings(name + ".with.environments", with.path("environments"))),
        Set.copyOf(strings(name + ".with.models", with.path("models"))));
  }

  private ApprovalRule approval(String name, JsonNode tree, Map<String, List<String>> groups) {
    part.checkKeys(name, tree, APPROVAL_KEYS);
    var when = tree.path("when");
    if (!when.isMissingNode()) {
      part.checkKeys(name + ".when", when, CONDITION_KEYS);
    }
    var first = part.text(name + ".when.first_run_of", when.path("first_run_of"));
    if (first.isPresent() && !first.get().equals("person")) {
      throw part.wrong(name + ".when.first_run_of", "must be person");
    }
    var not = part.text(name + ".not", tree.path("not"));
    if (not.isPresent() && !not.get().equals(REQUESTER)) {
      throw part.wrong(name + ".not", "must be " + REQUESTER);
    }
    return new ApprovalRule(
        name,
        when.hasNonNull("where") ? places(name + ".when.where", when.path("where")) : List.of(),
        Set.copyOf(strings(name + ".when.environment", when.path("environment"))),
        Set.copyOf(strings(name + ".when.model", when.path("model"))),
        first.isPresent(),
        people(name + ".by", tree.path("by"), groups),
        not.isPresent(),
        part.text(name + ".within", tree.path("within"))
            .map(text -> time(name + ".within", text))
            .orElse(ApprovalRule.DEFAULT_WITHIN));
  }

  private Budget budget(String name, JsonNode tree) {
    part.checkKeys(name, tree, BUDGET_KEYS);
    var budget =
        new Budget(
            name,
            one(name + ".per", tree.path("per"), Budget.Per.class),
            one(name + ".in", tree.path("in"), Budget.Period.class),
            number(name + ".runs", tree.path("runs")).map(BigDecimal::longValue),
            number(name + ".minutes", tree.path("minutes"))
                .map(minutes -> Duration.ofSeconds(minutes.multiply(SIXTY).longValue())),
            number(name + ".money", tree.path("money")));
    if (budget.runs().isEmpty() && budget.time().isEmpty() && budget.money().isEmpty()) {
      throw part.wrong(name, "needs one of runs, minutes and money, like runs: 20");
    }
    return budget;
  }

  private <E extends Enum<E>> E one(String place, JsonNode tree, Class<E> type) {
    var names =
        Stream.of(type.getEnumConstants()).map(it -> it.name().toLowerCase(Locale.ROOT)).toList();
    return part.text(place, tree)
        .filter(names::contains)
        .map(it -> Enum.valueOf(type, it.toUpperCase(Locale.ROOT)))
        .orElseThrow(() -> part.wrong(place, "must be one of " + String.join(", ", names)));
  }

  private Optional<BigDecimal> number(String place, JsonNode tree) {
    var text = part.text(place, tree);
    if (text.isPresent() && !NUMBER.matcher(text.get()).matches()) {
      throw part.wrong(place, "must be a number of at least 0, like 20");
    }
    return text.map(BigDecimal::new);
  }

  private Duration time(String place, String text) {
    return DurationsAndSizes.time(text)
        .orElseThrow(() -> part.wrong(place, "is no time; it reads like 30m, 2h or 1d"));
  }

  private Set<Permission> permissions(String place, JsonNode tree) {
    var words = strings(place, tree);
    if (words.equals(List.of(ALL))) {
      return EnumSet.allOf(Permission.class);
    }
    var known = Stream.of(Permission.values()).map(Permission::word).toList();
    var found = new LinkedHashSet<Permission>();
    for (var word : words) {
      found.add(
          Permission.of(word)
              .orElseThrow(
                  () ->
                      part.wrong(
                          place,
                          "has %s, and there are: %s, or all.%s"
                              .formatted(
                                  word, String.join(", ", known), Settings.suggestion(word, known))
                              .replaceFirst("\\.$", ""))));
    }
    if (found.isEmpty()) {
      throw part.wrong(place, "must name what may be done, like [start, say], or all");
    }
    return found;
  }

  private List<String> people(String place, JsonNode tree, Map<String, List<String>> groups) {
    var names = strings(place, tree);
    if (names.isEmpty()) {
      throw part.wrong(place, "must name groups or people, like staff or slack:members, or any");
    }
    names.forEach(it -> checkPerson(place, it, groups));
    return names;
  }

  private void checkPerson(String place, String name, Map<String, List<String>> groups) {
    if (name.equals(Rule.ANY) || groups.containsKey(name)) {
      return;
    }
    if (name.indexOf(':') <= 0) {
      throw part.wrong(
          place,
          "has %s, which is no group of policy.groups and no person like slack:U012345.%s"
              .formatted(name, Settings.suggestion(name, List.copyOf(groups.keySet())))
              .replaceFirst("\\.$", ""));
    }
    checkSurface(place, name);
  }

  private List<String> places(String place, JsonNode tree) {
    var names = strings(place, tree);
    if (names.isEmpty()) {
      throw part.wrong(place, "must name places, like any, slack or github:acme/*");
    }
    names.stream().filter(it -> !it.equals(Rule.ANY)).forEach(it -> checkSurface(place, it));
    return names;
  }

  private void checkSurface(String place, String name) {
    var surface = name.split(":", 2)[0];
    if (!surfaces.contains(surface)) {
      throw part.wrong(
          place,
          "has %s, and there is no platform %s.%s"
              .formatted(name, surface, Settings.suggestion(surface, surfaces))
              .replaceFirst("\\.$", ""));
    }
  }

  /// One value, or a list of values.
  private List<String> strings(String place, JsonNode tree) {
    return tree.isArray() ? part.strings(place, tree) : part.text(place, tree).stream().toList();
  }

  private Iterable<JsonNode> elements(String place, JsonNode tree) {
    if (tree.isMissingNode() || tree.isNull()) {
      return List.of();
    }
    if (!tree.isArray()) {
      throw part.wrong(place, "must be a list of rules, one a line, each beginning with a dash");
    }
    return tree;
  }
}
