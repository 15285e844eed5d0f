package dev.runnel.surface.slack.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.surface.slack.SlackRequests;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SlackConfigTest {
  @Test
  void slackIsOffWithoutItsSettings() {
    assertThat(SlackConfig.from(Map.of("SLACK_API_URL", "https://slack.com/api/"))).isEmpty();
  }

  @Test
  void signingSecretAndBotTokenAreSufficient() {
    var config =
        SlackConfig.from(Map.of("SLACK_SIGNING_SECRET", "new, old", "SLACK_BOT_TOKEN", "xoxb-1"))
            .orElseThrow();

    assertThat(config.signingSecrets()).containsExactly("new", "old");
    assertThat(config.apiUrl()).isEqualTo(URI.create("https://slack.com/api/"));
  }

  @Test
  void aSocketNeedsNoSigningSecret() {
    var config =
        SlackConfig.from(Map.of("SLACK_APP_TOKEN", "xapp-1", "SLACK_BOT_TOKEN", "xoxb-1"))
            .orElseThrow();

    assertThat(config.appToken()).contains("xapp-1");
    assertThat(config.signingSecrets()).isEmpty();
    assertThat(config.toString()).doesNotContain("xapp-1");
  }

  @Test
  void socketAndHttpCanBothBeConfigured() {
    var config =
        SlackConfig.from(
                Map.of(
                    "SLACK_APP_TOKEN", "xapp-1",
                    "SLACK_SIGNING_SECRET", "s",
                    "SLACK_BOT_TOKEN", "xoxb-1"))
            .orElseThrow();

    assertThat(config.appToken()).isPresent();
    assertThat(config.signingSecrets()).isNotEmpty();
  }

  @Test
  void aBotTokenInTheAppTokensPlaceIsNamedAndNotQuoted() {
    assertThatThrownBy(
            () ->
                SlackConfig.from(Map.of("SLACK_APP_TOKEN", "xoxb-1", "SLACK_BOT_TOKEN", "xoxb-1")))
        .hasMessageStartingWith("SLACK_APP_TOKEN")
        .hasMessageNotContaining("xoxb-1");
  }

  @Test
  void incompleteSettingsNameTheMissingOne() {
    assertThatThrownBy(() -> SlackConfig.from(Map.of("SLACK_APP_TOKEN", "xapp-1")))
        .hasMessageStartingWith("SLACK_BOT_TOKEN is missing")
        .hasMessageContaining("SLACK_APP_TOKEN is set");
    assertThatThrownBy(() -> SlackConfig.from(Map.of("SLACK_SIGNING_SECRET", "s")))
        .hasMessageStartingWith("SLACK_BOT_TOKEN is missing");
    assertThatThrownBy(() -> SlackConfig.from(Map.of("SLACK_BOT_TOKEN", "xoxb-1")))
        .hasMessageStartingWith("SLACK_SIGNING_SECRET is missing");
  }

  @ParameterizedTest
  @CsvSource({"SLACK_CLIENT_ID, SLACK_CLIENT_SECRET", "SLACK_CLIENT_SECRET, SLACK_CLIENT_ID"})
  void incompleteClientNamesAllMissingSettings(String given, String other) {
    assertThatThrownBy(() -> SlackConfig.from(Map.of(given, "1")))
        .hasMessageStartingWith(
            "SLACK_SIGNING_SECRET and %s are missing, while %s is set.".formatted(other, given));
  }

  @Test
  void anAppThatWorkspacesInstallNeedsNoBotToken() {
    var config =
        SlackConfig.from(
                Map.of(
                    "SLACK_CLIENT_ID", "1.2",
                    "SLACK_CLIENT_SECRET", "new, old",
                    "SLACK_SIGNING_SECRET", "s"))
            .orElseThrow();

    assertThat(config.client().orElseThrow().secrets()).containsExactly("new", "old");
    assertThat(config.botToken()).isEmpty();
    assertThat(config.client().toString()).doesNotContain("new", "old");
  }

  @Test
  void incompleteClientNamesItsOtherSetting() {
    assertThatThrownBy(
            () -> SlackConfig.from(Map.of("SLACK_CLIENT_ID", "1", "SLACK_SIGNING_SECRET", "s")))
        .hasMessageStartingWith("SLACK_CLIENT_SECRET is missing");
    assertThatThrownBy(
            () -> SlackConfig.from(Map.of("SLACK_CLIENT_SECRET", "c", "SLACK_SIGNING_SECRET", "s")))
        .hasMessageStartingWith("SLACK_CLIENT_ID is missing");
    assertThatThrownBy(
            () -> SlackConfig.from(Map.of("SLACK_CLIENT_ID", "1", "SLACK_CLIENT_SECRET", "c")))
        .hasMessageStartingWith("SLACK_SIGNING_SECRET is missing");
    assertThatThrownBy(
            () ->
                SlackConfig.from(
                    Map.of(
                        "SLACK_CLIENT_ID", "1",
                        "SLACK_CLIENT_SECRET", "c",
                        "SLACK_SIGNING_SECRET", "s",
                        "SLACK_BOT_TOKEN", "xoxb-1")))
        .hasMessageContaining("Set one of them");
  }

  @ParameterizedTest
  @ValueSource(strings = {"slack.com/api/", "ftp://x/api/", "https://slack.com/", "http://[/api/"})
  void anAddressThatCannotBeTheApiIsNamed(String url) {
    assertThatThrownBy(
            () ->
                SlackConfig.from(
                    Map.of(
                        "SLACK_SIGNING_SECRET", "s", "SLACK_BOT_TOKEN", "t", "SLACK_API_URL", url)))
        .hasMessageStartingWith("SLACK_API_URL");
  }

  @Test
  void anEmptySecretAmongSeveralIsRefused() {
    assertThatThrownBy(
            () ->
                SlackConfig.from(
                    Map.of("SLACK_SIGNING_SECRET", "s,,t", "SLACK_BOT_TOKEN", "xoxb-1")))
        .hasMessageStartingWith("SLACK_SIGNING_SECRET");
  }

  @Test
  void aTokenWithALineBreakIsRefusedAndNotQuoted() {
    assertThatThrownBy(
            () ->
                SlackConfig.from(
                    Map.of("SLACK_SIGNING_SECRET", "s", "SLACK_BOT_TOKEN", "xoxb-1\nxoxb-2")))
        .hasMessageStartingWith("SLACK_BOT_TOKEN")
        .hasMessageNotContaining("xoxb-1");
  }

  @Test
  void secretsAreNotShown() {
    assertThat(SlackRequests.CONFIG.toString())
        .doesNotContain(SlackRequests.SECRET, "xoxb-test-token");
  }

  @Test
  void onlyHttpsAddressesOfSlackAreAcceptedForAnswers() {
    var config =
        SlackConfig.from(Map.of("SLACK_SIGNING_SECRET", "s", "SLACK_BOT_TOKEN", "t")).orElseThrow();

    assertThat(config.isOurs(URI.create("https://hooks.slack.com/commands/1/2"))).isTrue();
    assertThat(config.isOurs(URI.create("https://hooks.slack.com.evil.example/1"))).isFalse();
    assertThat(config.isOurs(URI.create("https://evilslack.com/1"))).isFalse();
    assertThat(config.isOurs(URI.create("http://hooks.slack.com/1"))).isFalse();
    assertThat(config.isOurs(URI.create("mailto:x@slack.com"))).isFalse();
  }
}
