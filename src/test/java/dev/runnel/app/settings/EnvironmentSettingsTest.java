package dev.runnel.app.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.service.egress.EgressSetting;
import dev.runnel.service.run.limit.CostLimit;
import dev.runnel.service.run.limit.Limits;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.PermissionRules;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EnvironmentSettingsTest {
  @TempDir Path folder;

  @Test
  void anEnvironmentMayHaveItsOwnHostsOrThoseOfAllOrNone() {
    var settings =
        settings(
            Map.of(),
            """
            agents:
              egress: [anthropic, "internal:registry.corp:5000"]
              environments:
                web: {egress: [inherit, npm]}
                docs: {egress: none}
                quiet: {egress: []}
                bare: {}
            """);
    var all = Config.of(settings).egress();

    assertThat(all.entries()).containsExactly("anthropic", "internal:registry.corp:5000");
    assertThat(settings.environments().all())
        .extracting(
            each -> each.egress().map(own -> own.resolve(all).entries()).orElse(List.of("-")))
        .containsExactly(
            List.of("anthropic", "internal:registry.corp:5000", "npm"),
            List.of("none"),
            List.of("none"),
            List.of("-"));
  }

  @Test
  void anEnvironmentMayHaveItsOwnPermissionRulesOrThoseOfAllOrNone() {
    var settings =
        settings(
            Map.of(),
            """
            agents:
              ask: ["Bash(cp {a,b} c)", WebFetch]
              environments:
                web: {ask: ["Bash(npm publish:*)"]}
                docs: {ask: []}
                quiet: {ask: off}
                bare: {}
            """);

    assertThat(Config.of(settings).permissionRules().ask())
        .containsExactly("Bash(cp {a,b} c)", "WebFetch");
    assertThat(settings.environments().all())
        .extracting(each -> each.permissionRules().map(PermissionRules::ask))
        .containsExactly(
            Optional.of(List.of("Bash(npm publish:*)")),
            Optional.of(List.of()),
            Optional.of(List.of()),
            Optional.empty());
    assertThatThrownBy(
            () ->
                settings(Map.of(), "agents: {environments: {web: {ask: [npm publish]}}}")
                    .environments())
        .hasMessageContaining("agents.environments.web.ask")
        .hasMessageContaining("like Bash(npm publish:*)");
    assertThatThrownBy(() -> Config.of(settings(Map.of(), "agents: {ask: [npm publish]}")))
        .hasMessageContaining("runnel.yaml contains");
  }

  @Test
  void pushRequiresATokenAndAnExplicitSetting() {
    var file =
        """
        agents:
          environments:
            web: {repositories: [{url: "https://git.example.com/a/b.git", token: GIT_TOKEN%s}]}
        """;
    var variables = Map.of("GIT_TOKEN", "git-secret");

    assertThat(settings(variables, file.formatted("")).environments().all())
        .allSatisfy(each -> assertThat(each.repositories().getFirst().push()).isFalse());
    assertThat(settings(variables, file.formatted(", push: true")).environments().all())
        .allSatisfy(each -> assertThat(each.repositories().getFirst().push()).isTrue());
    assertThatThrownBy(() -> settings(variables, file.formatted(", push: maybe")))
        .hasMessageContaining("agents.environments.web.repositories[0].push must be true or false");
    assertThatThrownBy(
            () -> settings(variables, file.replace(", token: GIT_TOKEN%s", ", push: true")))
        .hasMessageContaining("push needs the name of the variable with a token");
  }

  @Test
  void publicHostsArePermittedUnlessTheSettingsSayOtherwise() {
    assertThat(Config.of(settings(Map.of(), "agents: {slots: 2}")).egress())
        .isEqualTo(EgressSetting.PUBLIC);
    assertThat(Config.of(settings(Map.of(), "agents: {egress: []}")).egress())
        .isEqualTo(EgressSetting.NONE);
    assertThat(Config.of(settings(Map.of("RUNNEL_AGENTS_EGRESS", "npm,pypi"), "{}")).egress())
        .isEqualTo(new EgressSetting(List.of("npm", "pypi")));
  }

  @Test
  void invalidEgressHostStopsTheStartAndIsLocated() {
    assertThatThrownBy(() -> Config.of(settings(Map.of(), "agents: {egress: [gihub]}")))
        .hasMessageContaining("runnel.yaml: gihub is not a host");
    assertThatThrownBy(() -> settings(Map.of(), "agents: {environments: {web: {egress: [gihub]}}}"))
        .hasMessageContaining("agents.environments.web.egress gihub is not a host");
  }

  @Test
  void allSettingsOfAnEnvironmentAreRead() {
    var settings =
        settings(
            Map.of("NPM_TOKEN", "npm-secret", "GIT_TOKEN", "git-secret", "OTHER", "x"),
            """
            agents:
              default_environment: web
              environments:
                web:
                  name: Web shop
                  description: The shop
                  repositories:
                    - acme/shop
                    - url: https://git.example.com/acme/tools.git
                      ref: v2
                      folder: kit
                      token: GIT_TOKEN
                    - ./local
                  setup_commands: ["cd shop && npm ci"]
                  docker_image: node:22
                  variables: [NPM_TOKEN]
                bare: {}
                assets: {repositories: [acme/assets], lfs: true}
            """);

    var environments = settings.environments();
    assertThat(environments.all())
        .extracting(Environment::uid)
        .containsExactly("web", "bare", "assets");
    assertThat(environments.all()).extracting(Environment::lfs).containsExactly(false, false, true);
    var web = environments.find("web").orElseThrow();
    assertThat(web.name()).isEqualTo("Web shop");
    assertThat(web.description()).contains("The shop");
    assertThat(web.setupCommands()).containsExactly("cd shop && npm ci");
    assertThat(web.image()).contains("node:22");
    assertThat(web.variables()).containsExactly("NPM_TOKEN");
    assertThat(web.repositories())
        .extracting(repository -> repository.folder())
        .containsExactly("shop", "kit", "local");
    assertThat(web.repositories().get(1).ref()).contains("v2");
    assertThat(web.repositories().getLast().url())
        .isEqualTo(Path.of("local").toAbsolutePath().toString());
    assertThat(environments.find("")).contains(web);
    assertThat(environments.find("Web shop")).contains(web);
    assertThat(environments.find("nothing")).isEmpty();
    assertThat(environments.variables(web)).containsOnly(Map.entry("NPM_TOKEN", "npm-secret"));
    assertThat(environments.variableValues().values()).contains("npm-secret", "git-secret");
    assertThat(settings.toString() + environments).doesNotContain("secret");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[web]                                        | agents.environments must hold environments"
            + " by their names",
        "{web: 5}                                     | agents.environments.web must hold name,",
        "{web: {repos: [a/b]}}                        | agents.environments.web.repos",
        "{web: {setup_command: [a]}}                  | Did you mean setup_commands?",
        "{web: {repositories: a/b}}                   | agents.environments.web.repositories must"
            + " be a list",
        "{web: {repositories: [shop]}}                | agents.environments.web.repositories[0]"
            + " must be owner/name on GitHub",
        "{web: {repositories: [a/b, c/b]}}            | agents.environments.web two repositories"
            + " would share the folder b",
        "{web: {repositories: [{ref: x}]}}            | agents.environments.web.repositories[0] has"
            + " no url",
        "{web: {repositories: [{url: a/b, reff: x}]}} | Did you mean ref?",
        "{web: {repositories: [{url: a/b, token: MISSING_ONE}]}} | repositories[0].token names the"
            + " variable MISSING_ONE, which is not set",
        "{web: {variables: [MISSING_ONE]}}            | agents.environments.web.variables names the"
            + " variable MISSING_ONE",
        "{web: {setup_commands: [{a: b}]}}            | agents.environments.web.setup_commands must"
            + " be one value",
        "{web: {lfs: [acme/shop]}}                   | agents.environments.web.lfs must be true or"
            + " false",
        "{web: {lfs: true, repositories: [./local]}} | lfs needs repositories with https addresses",
        "{web: {docker_image: '-v /:/x y'}}           | docker_image must name an image",
        "{'a b': {}}                                  | agents.environments.a b its name may"
            + " contain",
      })
  void aWrongEnvironmentStopsTheStartWithThePlace(String environments, String message) {
    assertThatThrownBy(() -> settings(Map.of(), "agents: {environments: " + environments + "}\n"))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("runnel.yaml")
        .hasMessageContaining(message);
  }

  @Test
  void aPasswordInAnAddressIsRefusedWithoutBeingRepeated() {
    var file =
        "agents: {environments: {web: {repositories: ['https://ann:pw-1@git.example.com/a/b']}}}";

    assertThatThrownBy(() -> settings(Map.of(), file))
        .hasMessageContaining("contains a user name or a password")
        .message()
        .doesNotContain("pw-1");
  }

  @Test
  void missingDefaultEnvironmentIsNamed() {
    var file = "agents: {default_environment: wbe, environments: {web: {}}}";

    assertThatThrownBy(() -> settings(Map.of(), file))
        .isInstanceOf(SettingsException.class)
        .hasMessageEndingWith(
            "(agents.default_environment) is wbe, and agents.environments has no environment of"
                + " that name. Did you mean web?");
  }

  @Test
  void limitsAreReadWithUnits() {
    var limits =
        Config.of(
                settings(
                    Map.of("RUNNEL_AGENTS_LIMIT_IDLE", "none"),
                    """
                    agents:
                      limits:
                        start: 90s
                        idle: 5m
                        total: 2h
                        output: 512KB
                        disk: none
                        keep_workspaces: 1d
                        all_workspaces: 2TB
                        drain: 30s
                    """))
            .limits();

    assertThat(limits)
        .isEqualTo(
            new Limits(
                Duration.ofSeconds(90),
                Limits.FOREVER,
                Duration.ofHours(2),
                512 * 1024,
                Limits.UNLIMITED,
                Duration.ofDays(1),
                2L << 40,
                Duration.ofSeconds(30)));
  }

  @Test
  void costLimitAndPricePerMinuteAreRead() {
    var config =
        Config.of(
            settings(
                Map.of("RUNNEL_AGENTS_LIMIT_MONEY", "2.50"),
                "policy:\n  price_per_minute: 0.05\n"));

    assertThat(config.limits())
        .isEqualTo(Limits.DEFAULT.with(new CostLimit(Optional.of(new BigDecimal("2.50")))));
    assertThat(config.settings().policy().pricePerMinute()).isEqualTo("0.05");
  }

  @Test
  void unsetLimitsHaveDefaultsThatMatchTheExample() {
    assertThat(Config.of(settings(Map.of(), "")).limits()).isEqualTo(Limits.DEFAULT);
    assertThat(
            Config.of(
                    Settings.read(Map.of(), Optional.of(Path.of("examples/runnel.yaml")), Map.of()))
                .limits())
        .isEqualTo(Limits.DEFAULT);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "money: five       | runnel.yaml is five, and must be an"
            + " amount like 5 or 0.50, or off.",
        "start: 15         | runnel.yaml is 15, and must be a time",
        "start: 15 minutes | and must be a time like 90s, 15m, 6h or 7d, or off.",
        "idle: -1m         | must be a time",
        "total: 99999999d  | must be a time",
        "disk: 10          | runnel.yaml is 10, and must be a size",
        "output: 1PB       | must be a size like 512KB, 256MB or 10GB, or off.",
        "disk: 99999999TB  | must be a size",
      })
  void aMalformedLimitStopsTheStart(String line, String message) {
    assertThatThrownBy(() -> Config.of(settings(Map.of(), "agents: {limits: {" + line + "}}\n")))
        .isInstanceOf(SettingsException.class)
        .hasMessageStartingWith("agents.limits." + line.replaceFirst(":.*", "") + " in ")
        .hasMessageContaining(message);
  }

  @Test
  void aLimitThatDoesNotExistIsNamed() {
    assertThatThrownBy(() -> settings(Map.of(), "agents: {limits: {totla: 1h}}\n"))
        .hasMessageContaining(
            "there is no setting agents.limits.totla. Did you mean agents.limits.total?");
  }

  private Settings settings(Map<String, String> environment, String file) {
    try {
      var path = Files.writeString(folder.resolve("runnel.yaml"), file);
      return Settings.read(environment, Optional.of(path), Map.of());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
