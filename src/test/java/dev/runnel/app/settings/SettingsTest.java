package dev.runnel.app.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.app.server.Platforms;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.core.scope.Route;
import dev.runnel.surface.Setting;
import java.io.IOException;
import java.io.UncheckedIOException;
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
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
  @TempDir Path folder;

  @Test
  void defaultConfigurationIsEmbeddedAndLocal() {
    var config = Config.of(settings(Map.of(), ""));

    assertThat(config.addresses().port()).isEqualTo(8080);
    assertThat(config.addresses().host()).isEqualTo("127.0.0.1");
    assertThat(config.data()).isEqualTo(Path.of("data").toAbsolutePath());
    assertThat(config.databaseUrl()).isEmpty();
    assertThat(config.agentApi()).isEmpty();
  }

  @Test
  void aVariableWinsOverTheFileAndTheCommandLineOverBoth() {
    var file = "port: 1\nhost: a\ndata: b\n";

    var settings =
        Settings.read(
            Map.of("PORT", "2", "RUNNEL_HOST", "c"),
            Optional.of(write(file)),
            Map.of(RunnelSettings.PORT, "3"));

    assertThat(settings.get(RunnelSettings.PORT)).contains("3");
    assertThat(settings.get(RunnelSettings.HOST)).contains("c");
    assertThat(settings.get(RunnelSettings.DATA)).contains("b");
  }

  @Test
  void theFileTakesValuesFromTheEnvironment() {
    var settings = settings(Map.of("TOKEN", "xoxb-$1"), "slack:\n  bot_token: ${TOKEN}\n");

    assertThat(settings.get(settingOf("SLACK_BOT_TOKEN"))).contains("xoxb-$1");
  }

  @Test
  void agentsDoNotInheritTheVariablesThatSecretsComeFrom() {
    var environment = Map.of("TEAM_TOKEN", "xoxb", "OLD", "s1", "NEW", "s2", "HOME", "/home/ann");
    var file =
        """
        data: ${HOME}/data
        slack:
          bot_token: ${TEAM_TOKEN}
          signing_secret: ["${OLD}", "${NEW}"]
        """;

    assertThat(settings(environment, file).withoutSecrets(environment)).containsOnlyKeys("HOME");
  }

  @Test
  void severalSecretsMayBeAList() {
    var settings = settings(Map.of(), "github:\n  webhook_secret: [new, old]\n");

    assertThat(settings.get(settingOf("GITHUB_WEBHOOK_SECRET"))).contains("new,old");
  }

  @Test
  void profilesAreRead() {
    var settings = settings(Map.of(), "profiles:\n  web:\n    environment: web-env\n");

    assertThat(settings.profiles().byName())
        .hasEntrySatisfying(
            "web", profile -> assertThat(profile.environment()).contains("web-env"));
  }

  @Test
  void profileOptionWithoutAValueIsUnset() {
    var settings = settings(Map.of(), "profiles: {web: {model: }, bare: }");

    assertThat(settings.profiles().byName())
        .containsOnly(Map.entry("web", RunOptions.NONE), Map.entry("bare", RunOptions.NONE));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "prot: 1                          | there is no setting prot. Did you mean port?",
        "slack: {bottoken: x}             | there is no setting slack.bottoken. Did you mean"
            + " slack.bot_token?",
        "slack: {bot_token: '${MISSING}'} | slack.bot_token asks for the variable MISSING",
        "profiles: {web: {modle: x}}      | profiles.web.modle. Did you mean model?",
        "'{'                              | is not YAML: line 1",
        "[port, 80]                       | must hold settings",
        "hello                            | must hold settings",
        "profiles: 5                      | profiles must hold profiles by their names",
        "profiles: {web: fast}            | profiles.web must hold environment, model",
        "profiles: {web: {model: [a]}}    | profiles.web.model must be one value",
        "defaults: {slack: {modle: x}}    | defaults.slack.modle. Did you mean model?",
        "defaults: {Slack T1: {model: x}} | defaults.Slack T1 is no place",
        "defaults: {slack: {profile: x}}  | there is no profile of that name",
        "routes: {words: x}               | routes must be a list of rules",
        "routes: [{word: x, model: y}]    | routes[0].word. Did you mean words?",
        "routes: [{words: x}]             | routes[0] chooses nothing",
        "routes: [{model: x}]             | routes[0] has no condition",
        "routes: [{words: x, profile: y}] | there is no profile of that name",
        "routes: [{where: A b, model: y}] | routes[0].where is no place",
        "admins: [U1]                     | U1 needs the platform before the id",
        "{port: 80, port: 81}             | is not YAML: line 1",
      })
  void aWrongFileIsNamedWithThePlaceAndAWayOut(String file, String message) {
    assertThatThrownBy(() -> settings(Map.of(), file.equals("'{'") ? "{" : file))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining(message.contains("platform before") ? "admins" : "runnel.yaml")
        .hasMessageContaining(message);
  }

  @Test
  void routesAreReadInTheirOrder() {
    var routes =
        settings(
                Map.of(),
                """
                routes:
                  - {words: [checkout, "gift card"], labels: bug, where: "github:acme", model: big}
                  - {where: [slack], factory: shop}
                """)
            .defaults()
            .routes();

    assertThat(routes.rules())
        .containsExactly(
            new Route(
                List.of("checkout", "gift card"),
                List.of("bug"),
                List.of("github:acme"),
                Map.of("model", "big")),
            new Route(List.of(), List.of(), List.of("slack"), Map.of("factory", "shop")));
  }

  @Test
  void defaultsAreReadByPlace() {
    var defaults =
        settings(
                Map.of("RUNNEL_ADMINS", "slack:U1, github:octocat"),
                """
                defaults:
                  everywhere: {base_prompt: Be brief.}
                  "github:acme/shop": {environment: web, model: fast}
                """)
            .defaults();

    assertThat(defaults.configured())
        .containsEntry("everywhere", Map.of("prompt", "Be brief."))
        .containsEntry("github:acme/shop", Map.of("env", "web", "model", "fast"));
    assertThat(defaults.admins()).containsExactlyInAnyOrder("slack:U1", "github:octocat");
  }

  @Test
  void secondYamlDocumentIsRefused() {
    assertThatThrownBy(() -> settings(Map.of(), "port: 80\n---\nport: 81\n"))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("is not YAML");
  }

  @Test
  void emptySettingsFileHasNoValues() {
    assertThat(settings(Map.of(), "").values()).isEmpty();
    assertThat(settings(Map.of(), "# port: 80\n").values()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1,   http://127.0.0.1:8080/api/v1",
    "0.0.0.0,     http://127.0.0.1:8080/api/v1",
    "'::',        http://127.0.0.1:8080/api/v1",
    "'::1',       http://[::1]:8080/api/v1",
    "192.168.1.7, http://192.168.1.7:8080/api/v1",
  })
  void embeddedServiceIsCalledAtItsListenAddress(String host, String url) {
    var config = Config.of(settings(Map.of("RUNNEL_HOST", host), ""));

    assertThat(config.agentApiOr(8080)).hasToString(url);
  }

  @Test
  void anUnknownVariableOfOursIsNamed() {
    assertThatThrownBy(() -> settings(Map.of("RUNNEL_AGENT_COMAND", "x"), ""))
        .hasMessage(
            "There is no setting RUNNEL_AGENT_COMAND (in the environment). Did you mean"
                + " RUNNEL_AGENT_COMMAND?");
  }

  @Test
  void variablesThatTheServiceSetsForAgentsAreNotSettings() {
    assertThat(
            settings(
                    Map.of(
                        "RUNNEL_RUN_ID", "x", "RUNNEL_EXECUTION", "1", "RUNNEL_CLIENT_LOG", "info"),
                    "")
                .values())
        .isEmpty();
  }

  @Test
  void kubernetesServiceVariablesAreNotSettings() {
    var injected =
        Map.of(
            "RUNNEL_SERVICE_HOST", "10.0.0.7",
            "RUNNEL_SERVICE_PORT", "80",
            "RUNNEL_SERVICE_PORT_HTTP", "80",
            "RUNNEL_PORT", "tcp://10.0.0.7:80",
            "RUNNEL_PORT_80_TCP", "tcp://10.0.0.7:80",
            "RUNNEL_PORT_80_TCP_PROTO", "tcp",
            "RUNNEL_PORT_80_TCP_PORT", "80",
            "RUNNEL_PORT_80_TCP_ADDR", "10.0.0.7",
            "RUNNEL_POSTGRES_SERVICE_HOST", "10.0.0.8",
            "RUNNEL_POSTGRES_PORT", "tcp://10.0.0.8:5432");

    assertThat(settings(injected, "").values()).isEmpty();
  }

  @Test
  void runnelPortIsAnotherNameOfPort() {
    assertThat(Config.of(settings(Map.of("RUNNEL_PORT", "8081"), "port: 1")).addresses().port())
        .isEqualTo(8081);
    assertThat(
            Config.of(settings(Map.of("RUNNEL_PORT", "8081", "PORT", "8082"), ""))
                .addresses()
                .port())
        .isEqualTo(8082);
    assertThatThrownBy(() -> Config.of(settings(Map.of("RUNNEL_PORT", "http"), "")))
        .hasMessageStartingWith("RUNNEL_PORT in the environment is http, and must be a number");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "PORT                 | 99999        | PORT in the environment is 99999, and must be"
            + " a number from 0 to 65535.",
        "PORT                 | http         | PORT in the environment is http, and must be"
            + " a number from 0 to 65535.",
        "RUNNEL_PUBLIC_URL    | runnel       | RUNNEL_PUBLIC_URL in the environment is not"
            + " an address",
        "RUNNEL_DATABASE_URL  | mysql://x    | RUNNEL_DATABASE_URL in the environment must"
            + " begin with jdbc:postgresql:",
        "RUNNEL_AGENT_API_URL | https://a.b  | RUNNEL_AGENT_API_URL in the environment is"
            + " set, and RUNNEL_AGENT_API_KEY is missing",
        "RUNNEL_AGENT_API_URL | https://u:p@a.b | RUNNEL_AGENT_API_URL in the environment"
            + " is not an address",
        "RUNNEL_AGENT_ACCESS  | some         | RUNNEL_AGENT_ACCESS in the environment is"
            + " some, and must be workspace or full.",
        "RUNNEL_AGENT_LEASE   | 1s           | RUNNEL_AGENT_LEASE in the environment must be"
            + " a time from 2s to 1h.",
        "RUNNEL_AGENT_API_KEY | two words of a key | RUNNEL_AGENT_API_KEY in the"
            + " environment is not a key",
      })
  void aMalformedSettingStopsTheStart(String variable, String value, String message) {
    assertThatThrownBy(() -> Config.of(settings(Map.of(variable, value), "")))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "port: abc                                      | port in FILE is abc, and must be a number"
            + " from 0 to 65535.",
        "public_url: runnel                             | public_url in FILE is not an address.",
        "agents: {access: some}                         | agents.access in FILE is some",
        "agents: {lease: 1s}                            | agents.lease in FILE must be a time",
        "gitlab: {webhook_secret: sixteen-letters!}     | GITLAB_TOKEN is missing, while"
            + " gitlab.webhook_secret in FILE is set.",
        "gitea: {url: https://git.acme.dev}              | GITEA_WEBHOOK_SECRET and GITEA_TOKEN are"
            + " missing, while gitea.url in FILE is set.",
        "{gitlab: {webhook_secret: sixteen-letters!, token: a b}} | gitlab.token in FILE needs an"
            + " access token",
        "{gitlab: {webhook_secret: sixteen-letters!, token: ab}, mention: a b} | mention in FILE"
            + " needs one word",
        "slack: {bot_token: xoxb-1, app_token: xoxb-1}  | slack.app_token in FILE needs an"
            + " app-level token",
      })
  void aMalformedSettingOfTheFileIsNamedByItsPlaceInTheFile(String file, String message) {
    assertThatThrownBy(() -> Platforms.require(Config.of(settings(Map.of(), file)).settings()))
        .isInstanceOf(SettingsException.class)
        .hasMessageStartingWith(message.replace("FILE", folder.resolve("runnel.yaml").toString()));
  }

  @Test
  void everySecretThatNoPlatformIssuesHasAtLeastSixteenCharacters() {
    var refused =
        KnownPlatforms.settings().stream()
            .filter(Setting::isSecret)
            .filter(
                setting -> {
                  try {
                    Config.of(settings(Map.of(setting.variable(), "fifteen-letters"), ""));
                    return false;
                  } catch (SettingsException e) {
                    return String.valueOf(e.getMessage())
                        .startsWith(setting + " in the environment is too short");
                  }
                })
            .toList();

    assertThat(refused)
        .containsExactly(
            RunnelSettings.AGENT_API_KEY,
            RunnelSettings.CONSOLE_TOKEN,
            settingOf("SLACK_SIGNING_SECRET"),
            settingOf("SLACK_CLIENT_SECRET"),
            settingOf("GITHUB_WEBHOOK_SECRET"),
            settingOf("GITLAB_WEBHOOK_SECRET"),
            settingOf("JIRA_WEBHOOK_SECRET"),
            settingOf("LINEAR_WEBHOOK_SECRET"),
            settingOf("GITEA_WEBHOOK_SECRET"),
            settingOf("AZURE_DEVOPS_WEBHOOK_SECRET"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"   fifteen-letters   ", "                x"})
  void spacesAroundASecretDoNotCountAsCharacters(String secret) {
    assertThatThrownBy(() -> Config.of(settings(Map.of("GITHUB_WEBHOOK_SECRET", secret), "")))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("GITHUB_WEBHOOK_SECRET in the environment is too short");
  }

  @Test
  void eachOfSeveralSecretsHasAtLeastSixteenCharacters() {
    var file = "github:\n  webhook_secret: [sixteen-letters!, %s]\n";

    assertThat(Config.of(settings(Map.of(), file.formatted("sixteen-others!!")))).isNotNull();
    assertThatThrownBy(() -> Config.of(settings(Map.of(), file.formatted("fifteen-letters"))))
        .isInstanceOf(SettingsException.class)
        .hasMessage(
            "github.webhook_secret in %s is too short: a secret has at least 16 characters, so that nobody guesses it. `openssl rand -hex 32` makes one."
                .formatted(folder.resolve("runnel.yaml")));
  }

  @Test
  void toStringOfSettingsContainsNoSecrets() {
    var settings = settings(Map.of("GITHUB_TOKEN", "ghp_secret"), "");

    assertThat(settings.toString()).doesNotContain("ghp_secret");
    assertThat(Config.of(settings).toString()).doesNotContain("ghp_secret");
  }

  @Test
  void retentionOffMeansForever(@TempDir Path folder) throws IOException {
    var file = folder.resolve("runnel.yaml");
    Files.writeString(file, "retention: {runs: off, deliveries: 2d, audit: 'off'}\n");

    var retention = Config.of(Settings.read(Map.of(), Optional.of(file), Map.of())).retention();

    assertThat(retention.runs()).isGreaterThan(Duration.ofDays(10_000));
    assertThat(retention.audit()).isGreaterThan(Duration.ofDays(10_000));
    assertThat(retention.deliveries()).isEqualTo(Duration.ofDays(2));
    assertThat(retention.parked()).isEqualTo(Duration.ofDays(30));
  }

  @Test
  void theExampleIsReadAndNamesEverySetting() throws IOException {
    var example = Path.of("examples/runnel.yaml");

    Config.of(Settings.read(Map.of(), Optional.of(example), Map.of()));

    var text = Files.readString(example);
    for (var setting : KnownPlatforms.settings()) {
      var key = setting.path().substring(setting.path().lastIndexOf('.') + 1);
      assertThat(text).as(setting.path()).contains(key + ":");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "agent: {slots: 2}               | RUNNEL_AGENT_SLOTS  | 2    | write agents.slots instead"
            + " of agent.slots.",
        "agents: {slots: 2}              | RUNNEL_AGENT_SLOTS  | 2    | ''",
        "agents: {limits: {total: none}} | RUNNEL_AGENTS_LIMIT_TOTAL | off |"
            + " RUNNEL_AGENTS_LIMIT_TOTAL (agents.limits.total): write off instead of none.",
        "cancel_on: [nothing]            | RUNNEL_CANCEL_ON    | off  | write off instead of"
            + " nothing.",
        "state_labels: false             | RUNNEL_STATE_LABELS | off  | write off instead of"
            + " false.",
      })
  void anEarlierNameIsReadWithANotice(String file, String variable, String value, String notice) {
    var settings = settings(Map.of(), file);

    assertThat(settings.get(settingOf(variable))).contains(value);
    assertThat(settings.notices())
        .hasSize(notice.isEmpty() ? 0 : 1)
        .allSatisfy(each -> assertThat(each).endsWith(notice));
  }

  private static Setting settingOf(String variable) {
    return KnownPlatforms.settings().stream()
        .filter(each -> each.variable().equals(variable))
        .findFirst()
        .orElseThrow();
  }

  private Settings settings(Map<String, String> environment, String file) {
    return Settings.read(environment, Optional.of(write(file)), Map.of());
  }

  private Path write(String text) {
    try {
      return Files.writeString(folder.resolve("runnel.yaml"), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
