package dev.runnel.app.settings;

import dev.runnel.core.policy.ApprovalRule;
import dev.runnel.core.policy.Budget;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.policy.Rule;
import java.math.BigDecimal;
import java.time.Duration;
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
  private static final String LIST =
      "must be a list of rules, one a line, each beginning with a dash";

  private final List<String> surfaces;
  private final Map<String, List<String>> groups;

  private PolicySettings(List<String> surfaces, Map<String, List<String>> groups) {
    this.surfaces = surfaces;
    this.groups = groups;
  }

  /// @param surfaces the names that people and places may begin with: `slack`, `github`
  static Policy read(YamlSection section, List<String> surfaces) {
    if (section.isAbsent()) {
      return Policy.NONE;
    }
    section.checkKeys(KEYS);
    checkWord(
        section.at("wider_than_asked"),
        "refuse",
        ": what was said in a private place is never posted in a wider one");
    var groups = new LinkedHashMap<String, List<String>>();
    var reader = new PolicySettings(surfaces, groups);
    reader.readGroups(section.at("groups"));
    return new Policy(
        groups,
        section.at("rules").elements(LIST).stream().map(reader::rule).toList(),
        section.at("approve").elements(LIST).stream().map(reader::approval).toList(),
        section.at("budgets").elements(LIST).stream().map(PolicySettings::budget).toList(),
        number(section.at("price_per_minute")).orElse(BigDecimal.ZERO));
  }

  /// Whether the key of the file is read here, and not as a setting.
  static boolean reads(String key) {
    return key.startsWith(PLACE + ".") && !key.startsWith(PLACE + "." + INSTALLATIONS);
  }

  private void readGroups(YamlSection section) {
    var entries = section.entries("must hold groups, like staff: [slack:members]");
    entries.forEach(
        (name, members) -> {
          if (name.contains(":") || name.equals(Rule.ANY)) {
            throw members.wrong("cannot be the name of a group");
          }
          groups.put(name, members.oneOrMore());
        });
    entries.forEach(
        (_, members) -> members.oneOrMore().forEach(each -> checkPerson(members, each)));
  }

  private Rule rule(YamlSection section) {
    section.checkKeys(RULE_KEYS);
    var permits = section.tree().hasNonNull("may");
    if (permits == section.tree().hasNonNull("may_not")) {
      throw section.wrong("needs one of may and may_not, like may: [start, say]");
    }
    var with = section.at("with");
    if (!with.isAbsent()) {
      with.checkKeys(List.of("environments", "models"));
    }
    return new Rule(
        section.place(),
        people(section.at("who")),
        places(section.at("where")),
        permissions(section.at(permits ? "may" : "may_not")),
        permits,
        Set.copyOf(with.at("environments").oneOrMore()),
        Set.copyOf(with.at("models").oneOrMore()));
  }

  private ApprovalRule approval(YamlSection section) {
    section.checkKeys(APPROVAL_KEYS);
    var when = section.at("when");
    if (!when.tree().isMissingNode()) {
      when.checkKeys(CONDITION_KEYS);
    }
    var where = when.at("where");
    var within = section.at("within");
    return new ApprovalRule(
        section.place(),
        where.isAbsent() ? List.of() : places(where),
        Set.copyOf(when.at("environment").oneOrMore()),
        Set.copyOf(when.at("model").oneOrMore()),
        checkWord(when.at("first_run_of"), "person", ""),
        people(section.at("by")),
        checkWord(section.at("not"), "requester", ""),
        within
            .text()
            .map(
                text ->
                    DurationsAndSizes.time(text)
                        .orElseThrow(() -> within.wrong("is no time; it reads like 30m, 2h or 1d")))
            .orElse(ApprovalRule.DEFAULT_WITHIN));
  }

  /// @param why follows the message about another word
  /// @return whether the word is there
  private static boolean checkWord(YamlSection section, String word, String why) {
    var text = section.text();
    if (text.isPresent() && !text.get().equals(word)) {
      throw section.wrong("must be " + word + why);
    }
    return text.isPresent();
  }

  private static Budget budget(YamlSection section) {
    section.checkKeys(BUDGET_KEYS);
    var budget =
        new Budget(
            section.place(),
            one(section.at("per"), Budget.Per.class),
            one(section.at("in"), Budget.Period.class),
            number(section.at("runs")).map(BigDecimal::longValue),
            number(section.at("minutes"))
                .map(minutes -> Duration.ofSeconds(minutes.multiply(SIXTY).longValue())),
            number(section.at("money")));
    if (budget.runs().isEmpty() && budget.time().isEmpty() && budget.money().isEmpty()) {
      throw section.wrong("needs one of runs, minutes and money, like runs: 20");
    }
    return budget;
  }

  private static <E extends Enum<E>> E one(YamlSection section, Class<E> type) {
    var names =
        Stream.of(type.getEnumConstants()).map(it -> it.name().toLowerCase(Locale.ROOT)).toList();
    return section
        .text()
        .filter(names::contains)
        .map(it -> Enum.valueOf(type, it.toUpperCase(Locale.ROOT)))
        .orElseThrow(() -> section.wrong("must be one of " + String.join(", ", names)));
  }

  private static Optional<BigDecimal> number(YamlSection section) {
    var text = section.text();
    if (text.isPresent() && !NUMBER.matcher(text.get()).matches()) {
      throw section.wrong("must be a number of at least 0, like 20");
    }
    return text.map(BigDecimal::new);
  }

  private static Set<Permission> permissions(YamlSection section) {
    var words = section.oneOrMore();
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
                      section.wrong(
                          "has %s, and there are: %s, or all"
                              .formatted(word, String.join(", ", known)),
                          Settings.suggestion(word, known))));
    }
    if (found.isEmpty()) {
      throw section.wrong("must name what may be done, like [start, say], or all");
    }
    return found;
  }

  private List<String> people(YamlSection section) {
    var names = section.oneOrMore();
    if (names.isEmpty()) {
      throw section.wrong("must name groups or people, like staff or slack:members, or any");
    }
    names.forEach(it -> checkPerson(section, it));
    return names;
  }

  private void checkPerson(YamlSection section, String name) {
    if (name.equals(Rule.ANY) || groups.containsKey(name)) {
      return;
    }
    if (name.indexOf(':') <= 0) {
      throw section.wrong(
          "has %s, which is no group of policy.groups and no person like slack:U012345"
              .formatted(name),
          Settings.suggestion(name, List.copyOf(groups.keySet())));
    }
    checkSurface(section, name);
  }

  private List<String> places(YamlSection section) {
    var names = section.oneOrMore();
    if (names.isEmpty()) {
      throw section.wrong("must name places, like any, slack or github:acme/*");
    }
    names.stream().filter(it -> !it.equals(Rule.ANY)).forEach(it -> checkSurface(section, it));
    return names;
  }

  private void checkSurface(YamlSection section, String name) {
    var surface = name.split(":", 2)[0];
    if (!surfaces.contains(surface)) {
      throw section.wrong(
          "has %s, and there is no platform %s".formatted(name, surface),
          Settings.suggestion(surface, surfaces));
    }
  }
}
