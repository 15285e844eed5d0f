package dev.runnel.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyTest {
  private static final Set<Permission> ALL = EnumSet.allOf(Permission.class);

  /// The example of the documentation.
  private static final Policy POLICY =
      new Policy(
          Map.of(
              "platform", List.of("slack:group:S0PLAT", "github:team:acme/platform"),
              "staff", List.of("slack:members", "github:members", "platform")),
          List.of(
              rule(0, "platform", "any", ALL),
              new Rule(
                  "policy.rules[1]",
                  List.of("staff"),
                  List.of("slack:T012AB/*", "github:acme/*"),
                  EnumSet.of(Permission.START, Permission.SAY, Permission.STOP, Permission.READ),
                  true,
                  Set.of("docs", "web"),
                  Set.of()),
              rule(2, "any", "any", EnumSet.of(Permission.STOP_OWN))),
          List.of(),
          List.of());

  private static Rule rule(int number, String who, String where, Set<Permission> permissions) {
    return rule(number, who, where, permissions, true);
  }

  private static Rule rule(
      int number, String who, String where, Set<Permission> permissions, boolean permits) {
    return new Rule(
        "policy.rules[" + number + "]",
        List.of(who),
        List.of(where),
        permissions,
        permits,
        Set.of(),
        Set.of());
  }

  private static AccessRequest request(
      String person, Permission permission, String place, @Nullable String environment) {
    return new AccessRequest(
        Set.of(person.split(" ", -1)),
        permission,
        place,
        false,
        Optional.ofNullable(environment),
        Optional.empty());
  }

  /// Who may do what where: the rows are people, with the groups that the platform finds them in.
  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      textBlock =
          """
          # person                                  verb       place                     env   rule
          slack:U1 slack:members slack:group:S0PLAT, start,     slack:T012AB/C1/1,        prod, 0
          slack:U1 slack:members slack:group:S0PLAT, configure, slack:T012AB/C1/1,        -,    0
          slack:U2 slack:members,                    start,     slack:T012AB/C1/1,        docs, 1
          slack:U2 slack:members,                    start,     slack:T012AB/C1/1,        prod, -
          slack:U2 slack:members,                    start,     slack:T012AB/C1/1,        -,    -
          slack:U2 slack:members,                    configure, slack:T012AB/C1/1,        docs, -
          slack:U2 slack:members,                    start,     slack:T9/C1/1,            docs, -
          slack:U2 slack:members,                    start,     slack:T012ABC/C1/1,       docs, -
          slack:UGUEST,                              start,     slack:T012AB/C1/1,        docs, -
          slack:UGUEST,                              stop,      slack:T012AB/C1/1,        docs, -
          github:dana github:members,                say,       github:acme/shop#7,       web,  1
          github:dana github:members,                say,       github:acme-labs/shop#7,  web,  -
          github:mallory,                            start,     github:acme/shop#7,       web,  -
          github:ops github:team:acme/platform,      approve,   github:elsewhere/x#1,     -,    0
          hooks:ci,                                  start,     hooks:ci/1,               -,    -
          """)
  void theFirstRuleThatAppliesDecides(
      String person,
      String verb,
      String place,
      @Nullable String environment,
      @Nullable Integer rule) {
    var verdict =
        POLICY.decide(request(person, Permission.of(verb).orElseThrow(), place, environment));

    assertThat(verdict.isPermitted()).isEqualTo(rule != null);
    assertThat(verdict.rule())
        .isEqualTo(rule == null ? "no rule permits it" : "policy.rules[" + rule + "]");
  }

  /// Whether a rule for the place applies to the conversation.
  @ParameterizedTest
  @CsvSource({
    "slack:T1, slack:T1/C1/1.2, true",
    "slack:T1, slack:T12/C1/1.2, false",
    "slack:T1/*, slack:T1/C1/1.2, true",
    "github:acme, github:acme/shop#7, true",
    "github:acme, github:acme-labs/shop#7, false",
    "github:ACME/Shop, github:acme/shop#7, true",
    "github:acme/shop, github:acme/shop-2#7, false",
    "gitlab:acme/shop, gitlab:acme/shop!7, true",
    "jira:SHOP, jira:SHOP-12, true",
    "jira:shop, jira:SHOP-12, true",
    "jira:SHOP, jira:SHOPS-12, false",
    "jira:SHOP-1, jira:SHOP-12, false",
    "jira, jira:SHOP-12, true"
  })
  void aRuleForAPlaceAppliesToTheConversationsInIt(
      String where, String conversation, boolean applies) {
    assertThat(rule(0, "any", where, Set.of()).isWhere(conversation)).isEqualTo(applies);
  }

  /// Every account of GitHub can ask to sign in.
  @ParameterizedTest
  @CsvSource({
    "any, any, false",
    "any, console, true",
    "any, any console, true",
    "github:ann, any, true"
  })
  void ruleForAnyoneAnywhereDoesNotApplyToTheConsole(
      String who, String where, boolean isPermitted) {
    var rule =
        new Rule(
            "policy.rules[0]",
            List.of(who),
            List.of(where.split(" ", -1)),
            ALL,
            true,
            Set.of(),
            Set.of());
    var policy = new Policy(Map.of(), List.of(rule), List.of(), List.of());

    assertThat(policy.decide(request("github:ann", Permission.READ, "console", null)).isPermitted())
        .isEqualTo(isPermitted);
  }

  @Test
  void aRefusalInTheConsoleDoesNotNameARuleForAllPlaces() {
    var policy = new Policy(Map.of(), List.of(rule(0, "any", "any", ALL)), List.of(), List.of());

    assertThat(policy.decide(request("github:ann", Permission.READ, "console", null)))
        .isInstanceOfSatisfying(
            Verdict.Unmatched.class, it -> assertThat(it.words()).contains("Nobody may."));
  }

  @Test
  void environmentNamesInRulesMatchTheirIds() {
    var rule =
        new Rule(
            "policy.rules[0]",
            List.of("any"),
            List.of("any"),
            ALL,
            false,
            Set.of("Web shop"),
            Set.of());
    var approval =
        new ApprovalRule(
            "policy.approve[0]",
            List.of(),
            Set.of("Web shop"),
            Set.of(),
            false,
            List.of("slack:U1"),
            true,
            Duration.ofHours(1));

    var known =
        new Policy(Map.of(), List.of(rule), List.of(approval), List.of())
            .withEnvironmentIds(name -> name.equals("Web shop") ? "shop" : name);

    var start = request("slack:U2", Permission.START, "slack:T1/C1/1", "shop");
    assertThat(known.decide(start)).isInstanceOf(Verdict.Forbidden.class);
    assertThat(known.approval(start, false)).isPresent();
  }

  @Test
  void permissionToStopOwnRunsDoesNotCoverThoseOfOthers() {
    var others = request("slack:UGUEST", Permission.STOP, "slack:T1/C1", null);
    var own =
        new AccessRequest(
            others.person(), Permission.STOP, "slack:T1/C1", true, others.model(), others.model());

    assertThat(POLICY.decide(own).isPermitted()).isTrue();
    assertThat(POLICY.decide(others).isPermitted()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "platform,                  slack:T1/C1,      the group `platform`",
    "any,                       slack:T1/C1,      all members",
    "slack:members,             slack:T1/C1,      all members of this workspace",
    "slack:U012345,             slack:T1/C1,      slack:U012345",
    "slack:group:S0PLAT,        slack:T1/C1,      slack:group:S0PLAT",
    "slack:U012345,             github:acme/shop, `slack:U012345`",
    "github:members,            github:acme/shop, everybody with write access",
    "github:team:acme/platform, github:acme/shop, the team `acme/platform`",
    "github:octocat,            github:acme/shop, octocat",
  })
  void groupNamesAreDescribedForThePlaceOfTheReader(String name, String place, String words) {
    assertThat(PeopleNames.words(List.of(name, name), place)).isEqualTo(words);
  }

  @Test
  void refusalNamesWhoIsPermitted() {
    assertThat(
            POLICY
                .decide(request("slack:UGUEST", Permission.START, "slack:T012AB/C1", "docs"))
                .words())
        .isEqualTo(
            "You may not start runs here. These may: the group `platform`, the group `staff`.");
  }

  @Test
  void aRefusalBecauseOfTheEnvironmentNamesThoseThatArePermitted() {
    assertThat(
            POLICY
                .decide(
                    request("slack:U2 slack:members", Permission.START, "slack:T012AB/C1", "prod"))
                .words())
        .startsWith("You may start runs here only with the environment docs or web.");
  }

  @Test
  void aRuleThatRefusesComesBeforeOneThatPermits() {
    var policy =
        new Policy(
            Map.of(),
            List.of(
                rule(0, "any", "slack:T1/CPROD", EnumSet.of(Permission.START), false),
                rule(1, "slack:members", "any", ALL)),
            List.of(),
            List.of());

    assertThat(
            policy
                .decide(request("slack:members", Permission.START, "slack:T1/CPROD/1", null))
                .isPermitted())
        .isFalse();
    assertThat(
            policy
                .decide(request("slack:members", Permission.START, "slack:T1/CDEV/1", null))
                .isPermitted())
        .isTrue();
  }

  @Test
  void environmentRulePermitsNothingIfAFactoryChoosesTheEnvironment() {
    var chosen = request("slack:U2 slack:members", Permission.START, "slack:T012AB/C1", "docs");
    var byFactory =
        new AccessRequest(
            chosen.person(),
            Permission.START,
            chosen.place(),
            false,
            chosen.environment(),
            chosen.model(),
            true);
    var refusing =
        new Policy(
            Map.of(),
            List.of(
                new Rule(
                    "policy.rules[0]",
                    List.of("any"),
                    List.of("any"),
                    EnumSet.of(Permission.START),
                    false,
                    Set.of("prod"),
                    Set.of()),
                rule(1, "any", "any", ALL)),
            List.of(),
            List.of());

    assertThat(POLICY.decide(chosen).isPermitted()).isTrue();
    assertThat(POLICY.decide(byFactory).isPermitted()).isFalse();
    assertThat(refusing.decide(chosen).isPermitted()).isTrue();
    assertThat(refusing.decide(byFactory).isPermitted()).isFalse();
  }

  @Test
  void namesInRulesIgnoreCase() {
    var policy =
        new Policy(
            Map.of(),
            List.of(
                rule(0, "github:Mallory", "any", ALL, false), rule(1, "any", "github:Acme/*", ALL)),
            List.of(),
            List.of());

    assertThat(
            policy
                .decide(request("github:mallory", Permission.START, "github:acme/shop", null))
                .isPermitted())
        .isFalse();
    assertThat(
            policy
                .decide(request("github:dana", Permission.START, "github:acme/shop", null))
                .isPermitted())
        .isTrue();
  }

  @Test
  void permissionsOfAPersonInAPlaceAreListed() {
    assertThat(POLICY.permissions(Set.of("slack:U2", "slack:members"), "slack:T012AB/C1"))
        .containsExactly(
            Permission.START,
            Permission.SAY,
            Permission.STOP,
            Permission.STOP_OWN,
            Permission.READ);
    assertThat(POLICY.permissions(Set.of("slack:U2"), "slack:T012AB/C1"))
        .containsExactly(Permission.STOP_OWN);
  }

  @Test
  void unreachableRuleIsNamed() {
    var policy =
        new Policy(
            Map.of(),
            List.of(
                rule(0, "any", "slack", EnumSet.of(Permission.START, Permission.SAY), false),
                rule(1, "slack:members", "slack:T1/C1", EnumSet.of(Permission.START)),
                rule(2, "slack:members", "any", EnumSet.of(Permission.START))),
            List.of(),
            List.of());

    assertThat(policy.unreachable())
        .containsExactly(
            "policy.rules[1] never decides anything: policy.rules[0] comes first and applies to"
                + " all of it.");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void additionalRefusingRuleNeverPermitsMore(long seed) {
    var random = new Random(seed);
    for (int i = 0; i < 500; i++) {
      var rules = new ArrayList<Rule>();
      IntStream.range(0, random.nextInt(6))
          .forEach(number -> rules.add(anyRule(random, number, random.nextBoolean())));
      var more = new ArrayList<>(rules);
      more.add(random.nextInt(rules.size() + 1), anyRule(random, 9, false));
      for (int j = 0; j < 20; j++) {
        var request = anyRequest(random);
        var before =
            new Policy(Map.of(), rules, List.of(), List.of()).decide(request).isPermitted();
        var after = new Policy(Map.of(), more, List.of(), List.of()).decide(request).isPermitted();
        assertThat(after && !before).as("%s%n%s%n%s", rules, more, request).isFalse();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void unreachableRuleNeverDecides(long seed) {
    var random = new Random(seed);
    for (int i = 0; i < 500; i++) {
      var rules = new ArrayList<Rule>();
      IntStream.range(0, 5)
          .forEach(number -> rules.add(anyRule(random, number, random.nextBoolean())));
      var policy = new Policy(Map.of(), rules, List.of(), List.of());
      var unreachable =
          policy.unreachable().stream().map(line -> line.substring(0, line.indexOf(' '))).toList();
      for (int j = 0; j < 50; j++) {
        assertThat(unreachable).doesNotContain(policy.decide(anyRequest(random)).rule());
      }
    }
  }

  private static final List<String> PEOPLE =
      List.of("any", "slack:U1", "slack:U2", "slack:members");
  private static final List<String> PLACES =
      List.of("any", "slack", "slack:T1/*", "slack:T1/C1", "console", "api");
  private static final List<String> ENVIRONMENTS = List.of("docs", "prod");

  private static Rule anyRule(Random random, int number, boolean permits) {
    return new Rule(
        "policy.rules[" + number + "]",
        List.of(one(random, PEOPLE)),
        List.of(one(random, PLACES)),
        EnumSet.of(
            one(random, List.of(Permission.START, Permission.STOP)),
            one(random, List.of(Permission.START, Permission.STOP_OWN))),
        permits,
        random.nextBoolean() ? Set.of() : Set.of(one(random, ENVIRONMENTS)),
        Set.of());
  }

  private static AccessRequest anyRequest(Random random) {
    return new AccessRequest(
        Set.of(one(random, PEOPLE.subList(1, 3)), one(random, PEOPLE.subList(3, 4))),
        one(random, List.of(Permission.START, Permission.STOP)),
        one(
            random,
            List.of("slack:T1/C1/1", "slack:T1/C2/1", "slack:T2/C1/1", "console", "api:run-1")),
        random.nextBoolean(),
        random.nextBoolean() ? Optional.empty() : Optional.of(one(random, ENVIRONMENTS)),
        Optional.empty());
  }

  private static <T> T one(Random random, List<T> values) {
    return values.get(random.nextInt(values.size()));
  }

  @Nested
  class Approvals {
    private final ApprovalRule production =
        new ApprovalRule(
            "policy.approve[0]",
            List.of(),
            Set.of("prod"),
            Set.of(),
            false,
            List.of("platform"),
            true,
            Duration.ofMinutes(30));

    private final ApprovalRule first =
        new ApprovalRule(
            "policy.approve[1]",
            List.of(),
            Set.of(),
            Set.of(),
            true,
            List.of("platform"),
            false,
            Duration.ofHours(1));

    private final Policy policy =
        new Policy(POLICY.groups(), POLICY.rules(), List.of(production, first), List.of());

    @Test
    void approvalIsRequiredForTheEnvironmentThatTheRuleNames() {
      assertThat(policy.approval(start("prod"), false)).contains(production);
      assertThat(policy.approval(start("docs"), false)).isEmpty();
      assertThat(policy.approval(start(null), false)).isEmpty();
    }

    @Test
    void approvalIsRequiredIfAFactoryChoosesTheEnvironment() {
      var start = start(null);
      var byFactory =
          new AccessRequest(
              start.person(),
              Permission.START,
              start.place(),
              true,
              start.environment(),
              start.model(),
              true);

      assertThat(policy.approval(byFactory, false)).contains(production);
    }

    @Test
    void approvalIsRequiredForTheFirstRunOfAPerson() {
      assertThat(policy.approval(start("docs"), true)).contains(first);
    }

    @Test
    void onlyPeopleWhomTheRuleNamesCanApprove() {
      assertThat(policy.mayApprove(production, Set.of("slack:group:S0PLAT"), true, false)).isTrue();
      assertThat(policy.mayApprove(production, Set.of("slack:members"), true, false)).isFalse();
    }

    @Test
    void requesterCannotApproveIfTheRuleForbidsIt() {
      assertThat(policy.mayApprove(production, Set.of("slack:group:S0PLAT"), true, true)).isFalse();
      assertThat(policy.mayApprove(first, Set.of("slack:group:S0PLAT"), true, true)).isTrue();
    }

    @Test
    void strangerCannotApproveEvenIfTheRuleNamesAnybody() {
      var anybody =
          new ApprovalRule(
              "policy.approve[0]",
              List.of(),
              Set.of(),
              Set.of(),
              false,
              List.of("any"),
              false,
              Duration.ofHours(1));

      assertThat(policy.mayApprove(anybody, Set.of("slack:U9"), true, false)).isTrue();
      assertThat(policy.mayApprove(anybody, Set.of("slack:U9"), false, false)).isFalse();
    }

    private AccessRequest start(@Nullable String environment) {
      return request("slack:U1", Permission.START, "slack:T012AB/C1/1", environment);
    }
  }
}
