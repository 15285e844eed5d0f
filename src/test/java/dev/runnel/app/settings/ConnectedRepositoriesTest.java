package dev.runnel.app.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.service.workspace.Environment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConnectedRepositoriesTest {
  private static final String CONNECTIONS =
      """
      github: {token: ghp_1}
      agents:
        environments:
          shop:
            repositories:
              - {url: "https://github.com/acme/shop.git", token: GITHUB_TOKEN, push: true}
      defaults:
        "github:acme/shop": {environment: shop}
        "github:acme/docs": {}
      """;

  @TempDir private Path data;

  private Settings settings(String connections, String file, Map<String, String> environment)
      throws IOException {
    Files.writeString(data.resolve(ConnectionsFile.IN_FORCE), connections);
    var path = Files.writeString(data.resolve("runnel.yaml"), file);
    return Settings.read(
        environment, Optional.of(path), Map.of(RunnelSettings.DATA, data.toString()));
  }

  private Settings settings(String file) throws IOException {
    return settings(CONNECTIONS, file, Map.of());
  }

  private static Environment shop(Settings settings) {
    return settings.environments().find("shop").orElseThrow();
  }

  private static Map<String, String> defaults(Settings settings, String place) {
    return settings.defaults().configured().getOrDefault(place, Map.of());
  }

  @Test
  void environmentsAndDefaultsOfBothFilesApply() throws Exception {
    var settings =
        settings(
            """
            agents: {environments: {web: {}}}
            defaults: {slack: {environment: web}, "github:acme/shop": {model: fast}}
            """);

    assertThat(settings.environments().all())
        .extracting(Environment::uid)
        .containsExactly("web", "shop");
    assertThat(shop(settings).repositories().getFirst().push()).isTrue();
    assertThat(defaults(settings, "github:acme/shop"))
        .isEqualTo(Map.of("env", "shop", "model", "fast"));
    assertThat(defaults(settings, "slack")).isEqualTo(Map.of("env", "web"));
    assertThat(settings.connected())
        .containsExactlyInAnyOrder("agents.environments.shop", "defaults.github:acme/shop");
    assertThat(settings.byPath())
        .containsEntry("defaults.github:acme/shop.environment", "shop")
        .containsEntry("agents.environments.shop.repositories[0].push", "true");
  }

  @Test
  void theFileOfTheOperatorTakesPrecedence() throws Exception {
    var settings =
        settings(
            """
            agents: {environments: {shop: {setup_commands: [make]}, web: {}}}
            defaults: {"github:acme/shop": {environment: web}}
            """);

    assertThat(shop(settings).repositories()).isEmpty();
    assertThat(defaults(settings, "github:acme/shop")).isEqualTo(Map.of("env", "web"));
    assertThat(settings.connected()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"environment,web,false", "model,fast,true"})
  void aProfileOfTheOperatorTakesPrecedenceIfItHasAnEnvironment(
      String option, String value, boolean hasConnected) throws Exception {
    var settings =
        settings(
            """
            profiles: {p: {%s: %s}}
            agents: {environments: {web: {}}}
            defaults: {"github:acme/shop": {profile: p}}
            """
                .formatted(option, value));

    assertThat(defaults(settings, "github:acme/shop").containsKey("env")).isEqualTo(hasConnected);
  }

  @Test
  void configuredEnvironmentCanUseTheStoredToken() throws Exception {
    var settings =
        settings(
            """
            agents:
              environments:
                web: {repositories: [{url: acme/shop, token: GITHUB_TOKEN}]}
            """);

    assertThat(settings.environments().variableValues()).containsEntry("GITHUB_TOKEN", "ghp_1");
  }

  @Test
  void cloneHasNoLoginIfTheTokenIsMissing() throws Exception {
    var settings = settings(CONNECTIONS.replace("github: {token: ghp_1}", ""), "{}", Map.of());

    var repository = shop(settings).repositories().getFirst();
    assertThat(repository.token()).isEmpty();
    assertThat(repository.push()).isFalse();
    assertThat(settings.notices())
        .singleElement()
        .asString()
        .contains("agents.environments.shop needs GITHUB_TOKEN, which is not set");
  }

  @Test
  void externalServiceIgnoresConnectedEnvironments() throws Exception {
    var settings =
        settings(
            CONNECTIONS, "{}", Map.of("RUNNEL_AGENT_API_URL", "https://agents.example.com/api/v1"));

    assertThat(settings.environments().all()).isEmpty();
    assertThat(settings.defaults().configured()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "https://github.com/acme/shop.git | https://evil.example/acme/shop.git | must have one of",
        "https://github.com/acme/shop.git | https://github.com/../shop.git?x | must have one of",
        "https://github.com/acme/shop.git | /etc | must have one of https://github.com",
        "token: GITHUB_TOKEN | token: OTHER | token must be GITHUB_TOKEN",
        "push: true | push: perhaps | push must be true or false",
        "push: true | ref: main | no setting agents.environments.shop.repositories[0].ref",
        "'shop:' | 'shop: {setup_commands: [make]}' | no setting agents.environments.shop",
        "'environment: shop' | 'base_prompt: x' | no setting defaults.github:acme/shop.base_prompt",
        "github:acme/docs | everywhere | is no repository",
        "github: | 'policy: {approve: x}' | not a setting of ./runnel connect"
      })
  void nothingElseIsReadFromTheDataFolder(String part, String other, String told) {
    var file =
        part.equals("shop:")
            ? "agents: {environments: {%s}}".formatted(other)
            : part.equals("github:") ? other : CONNECTIONS.replace(part, other);

    assertThatThrownBy(() -> settings(file, "{}", Map.of()))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining(told);
  }
}
