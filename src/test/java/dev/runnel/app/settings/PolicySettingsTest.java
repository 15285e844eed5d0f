package dev.runnel.app.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.core.policy.ApprovalRule;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.policy.Rule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicySettingsTest {
  @TempDir Path folder;

  private Policy policy(String yaml) {
    var file = folder.resolve("runnel.yaml");
    try {
      Files.writeString(file, yaml);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return Settings.read(Map.of(), Optional.of(file), Map.of()).policy();
  }

  @Test
  void aPolicyHasGroupsRulesAndApprovals() {
    var policy =
        policy(
            """
            policy:
              installations: {slack: [T012AB], github: [acme]}
              groups:
                platform: [slack:group:S0PLAT, github:team:acme/platform, console:ops@acme.example]
                staff: slack:members
              rules:
                - {who: platform, where: any, may: all}
                - {who: staff, where: "slack:T012AB/*", may: [start, say], with: {environments: [docs, web]}}
                - {who: [staff, slack:U1], where: [slack, github], may_not: configure}
                - {who: any, where: any, may: [stop-own]}
              approve:
                - {when: {environment: prod}, by: platform, not: requester, within: 30m}
                - {when: {first_run_of: person}, by: platform}
              wider_than_asked: refuse
            """);

    assertThat(policy.groups().get("platform")).hasSize(3).contains("console:ops@acme.example");
    assertThat(policy.rules())
        .containsExactly(
            rule(0, List.of("platform"), List.of("any"), EnumSet.allOf(Permission.class), true),
            new Rule(
                "policy.rules[1]",
                List.of("staff"),
                List.of("slack:T012AB/*"),
                Set.of(Permission.START, Permission.SAY),
                true,
                Set.of("docs", "web"),
                Set.of()),
            rule(
                2,
                List.of("staff", "slack:U1"),
                List.of("slack", "github"),
                Set.of(Permission.CONFIGURE),
                false),
            rule(3, List.of("any"), List.of("any"), Set.of(Permission.STOP_OWN), true));
    assertThat(policy.approvals())
        .containsExactly(
            approval(0, Set.of("prod"), false, true, Duration.ofMinutes(30)),
            approval(1, Set.of(), true, false, Duration.ofHours(24)));
  }

  private static Rule rule(
      int number,
      List<String> who,
      List<String> where,
      Set<Permission> permissions,
      boolean permits) {
    return new Rule(
        "policy.rules[" + number + "]", who, where, permissions, permits, Set.of(), Set.of());
  }

  private static ApprovalRule approval(
      int number, Set<String> environments, boolean first, boolean notRequester, Duration within) {
    return new ApprovalRule(
        "policy.approve[" + number + "]",
        List.of(),
        environments,
        Set.of(),
        first,
        List.of("platform"),
        notRequester,
        within);
  }

  @Test
  void consoleAndApiAreValidPlacesInARule() {
    assertThat(
            policy("policy: {rules: [{who: any, where: [console, api], may: [read, stop]}]}")
                .rules())
        .singleElement()
        .matches(it -> it.where().equals(List.of("console", "api")));
  }

  @Test
  void missingPolicyHasNoRules() {
    assertThat(policy("port: 8080").hasRules()).isFalse();
    assertThat(policy("policy: {installations: {slack: [T012AB]}}").hasRules()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {who: staf, where: any, may: all}               | policy.rules[0].who has staf, which is no group of policy.groups and no person like slack:U012345. Did you mean staff?
          {who: slak:U1, where: any, may: all}            | policy.rules[0].who has slak:U1, and there is no platform slak. Did you mean slack?
          {who: any, where: githb:acme, may: all}         | policy.rules[0].where has githb:acme, and there is no platform githb. Did you mean github?
          {who: any, where: any, may: [strat]}            | policy.rules[0].may has strat
          {who: any, where: any, may: [strat]}            | Did you mean start?
          {who: any, where: any}                          | policy.rules[0] needs one of may and may_not
          {who: any, where: any, may: all, may_not: all}  | policy.rules[0] needs one of may and may_not
          {who: any, may: all}                            | policy.rules[0].where must name places
          {where: any, may: all}                          | policy.rules[0].who must name groups or people
          {who: any, where: any, my: all}                 | there is no setting policy.rules[0].my. Did you mean may?
          """)
  void aMistakeInARuleIsNamedWithItsPlace(String rule, String problem) {
    assertThatThrownBy(
            () -> policy("policy: {groups: {staff: [slack:members]}, rules: [%s]}".formatted(rule)))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining(problem)
        .hasMessageNotContaining("?.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {approve: [{when: {environment: prod}}]}                  | policy.approve[0].by must name
          {approve: [{by: any, within: soon}]}                      | policy.approve[0].within is no time
          {approve: [{by: any, not: staff}]}                        | policy.approve[0].not must be requester
          {approve: [{by: any, when: {first_run_of: place}}]}       | policy.approve[0].when.first_run_of must be person
          {groups: {"slack:x": [slack:U1]}}                         | policy.groups.slack:x cannot be the name of a group
          {rules: {who: any}}                                       | policy.rules must be a list
          {wider_than_asked: allow}                                 | policy.wider_than_asked must be refuse
          {roles: []}                                               | there is no setting policy.roles. Did you mean rules?
          """)
  void aMistakeElsewhereIsNamedWithItsPlace(String policy, String problem) {
    assertThatThrownBy(() -> policy("policy: " + policy))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining(problem);
  }
}
