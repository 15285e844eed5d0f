package dev.runnel.surface.gitea;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GiteaConfigTest {
  private static final Map<String, String> ALL =
      Map.of(
          "GITEA_WEBHOOK_SECRET", "s1",
          "GITEA_TOKEN", "hidden-token",
          "GITEA_URL", "https://git.example.com/gitea/");

  @Test
  void urlTokenAndSecretConfigureGitea() {
    var config = GiteaConfig.from(ALL).orElseThrow();

    assertThat(config.url()).hasToString("https://git.example.com/gitea");
    assertThat(config.toString()).doesNotContain("s1", "hidden-token");
    assertThat(GiteaConfig.from(Map.of())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"GITEA_WEBHOOK_SECRET", "GITEA_TOKEN", "GITEA_URL"})
  void missingSettingIsNamed(String missing) {
    var settings = new HashMap<>(ALL);
    settings.remove(missing);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> GiteaConfig.from(settings))
        .withMessageStartingWith(missing + " is missing");
  }
}
