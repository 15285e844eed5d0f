package dev.runnel.service.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class EgressSettingTest {
  private static EgressSetting setting(String... entries) {
    return new EgressSetting(List.of(entries));
  }

  private static EgressRules rules(EgressSetting setting, String... more) {
    return setting.rules(List.of(more));
  }

  @Test
  void theDefaultPermitsPublicHostsAndNothingInternal() {
    var rules = rules(EgressSetting.PUBLIC);

    assertThat(rules.permits("api.anthropic.com", 443)).isTrue();
    assertThat(rules.permitsInternal("localhost", 8080)).isFalse();
  }

  @Test
  void setPermitsAllItsHosts() {
    var rules = rules(setting("npm", "GitHub"));

    assertThat(rules.permits("registry.npmjs.org", 443)).isTrue();
    assertThat(rules.permits("codeload.github.com", 443)).isTrue();
    assertThat(rules.permits("pypi.org", 443)).isFalse();
  }

  @Test
  void everyHostSetIsNonEmpty() {
    for (var each : EgressSetting.sets()) {
      assertThat(rules(setting(each)).patterns()).as(each).isNotEmpty();
    }
  }

  @Test
  void hostsOfTheRunAreAddedUnlessTheSettingIsNone() {
    assertThat(rules(setting("npm"), "git.example.com").permits("git.example.com", 443)).isTrue();
    assertThat(rules(setting("none"), "git.example.com").patterns()).isEmpty();
  }

  @Test
  void anEnvironmentReplacesTheListOfAllAndMayInheritIt() {
    var all = setting("anthropic");

    assertThat(rules(setting("npm").resolve(all)).permits("api.anthropic.com", 443)).isFalse();
    var both = rules(setting("inherit", "npm").resolve(all));
    assertThat(both.permits("api.anthropic.com", 443)).isTrue();
    assertThat(both.permits("registry.npmjs.org", 443)).isTrue();
    assertThat(setting("inherit", "npm").resolve(setting("none"))).isEqualTo(setting("npm"));
    assertThat(setting("inherit", "npm").resolve(EgressSetting.MACHINE).isMachine()).isTrue();
    assertThat(setting("none").resolve(EgressSetting.MACHINE).isMachine()).isFalse();
  }

  @Test
  void unknownSetIsRefusedWithTheKnownSets() {
    assertThatThrownBy(() -> setting("gihub"))
        .hasMessageContaining("gihub is not a host: write api.example.com")
        .hasMessageContaining("anthropic, cargo, debian, github");
    assertThatThrownBy(() -> setting("none", "npm")).hasMessageContaining("none beside other");
    assertThatThrownBy(() -> EgressSetting.general(List.of("inherit")))
        .hasMessageContaining("only for environments");
  }

  @Test
  void lineOfAListSaysThatTheModelProviderReachesOtherHosts() {
    assertThat(new EgressSetting(List.of("anthropic", "npm")).line())
        .isEqualTo(
            "anthropic, npm; a model provider reaches other hosts for the agent with its own tools,"
                + " such as web search");
    assertThat(EgressSetting.NONE.line()).isEqualTo("none");
    assertThat(EgressSetting.PUBLIC.line()).doesNotContain("model provider");
  }
}
