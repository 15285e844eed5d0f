package dev.runnel.surface.github;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.runnel.surface.tracker.Settings;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GitHubConfigTest {
  private static final Map<String, String> BOTH =
      Map.of("GITHUB_WEBHOOK_SECRET", "s1, s2", "GITHUB_TOKEN", "ghp_token");

  @Test
  void secretAndTokenAreSufficient() {
    assertThat(GitHubConfig.from(BOTH))
        .contains(
            GitHubConfigs.withToken(
                List.of("s1", "s2"),
                "ghp_token",
                URI.create("https://api.github.com"),
                Settings.of("agent", "agent")));
  }

  @Test
  void gitHubIsOffWithoutItsSettings() {
    assertThat(GitHubConfig.from(Map.of())).isEmpty();
    assertThat(GitHubConfig.from(Map.of("GITHUB_API_URL", "https://api.github.com"))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "GITHUB_TOKEN, GITHUB_WEBHOOK_SECRET",
    "GITHUB_WEBHOOK_SECRET, GITHUB_TOKEN",
  })
  void missingSettingIsNamed(String given, String missing) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> GitHubConfig.from(Map.of(given, "hidden-value")))
        .withMessageStartingWith(missing + " is missing")
        .withMessageContaining(given)
        .withMessageNotContaining("hidden-value");
  }

  @ParameterizedTest
  @CsvSource({
    "GITHUB_WEBHOOK_SECRET, 's1,,s2'",
    "GITHUB_TOKEN, two words",
    "GITHUB_API_URL, api.github.com",
    "GITHUB_API_URL, ftp://api.github.com",
    "GITHUB_API_URL, 'https://a b'",
    "GITHUB_API_URL, https://user:secret@api.github.com",
    "RUNNEL_TRIGGER_LABEL, 'a,b'",
    "RUNNEL_MENTION, @agent",
    "RUNNEL_MENTION, two words",
  })
  void aMalformedSettingIsNamed(String name, String value) {
    var settings = new HashMap<>(BOTH);
    settings.put(name, value);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> GitHubConfig.from(settings))
        .withMessageStartingWith(name);
  }

  @Test
  void optionalSettingsAreRead() {
    var settings = new HashMap<>(BOTH);
    settings.put("GITHUB_API_URL", "https://github.example/api/v3/");
    settings.put("RUNNEL_TRIGGER_LABEL", "let the bot do it");
    settings.put("RUNNEL_MENTION", "runnel-bot");

    var config = GitHubConfig.from(settings).orElseThrow();

    assertThat(config.apiUrl()).isEqualTo(URI.create("https://github.example/api/v3"));
    assertThat(config.tracker().label()).isEqualTo("let the bot do it");
    assertThat(config.tracker().mention()).isEqualTo("runnel-bot");
  }

  @Test
  void secretsAreNotShown() {
    assertThat(GitHubConfig.from(BOTH).orElseThrow().toString())
        .doesNotContain("s1", "s2", "ghp_token");
  }
}
