package dev.runnel.surface.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AzureConfigTest {
  private static final Map<String, String> ALL =
      Map.of(
          "AZURE_DEVOPS_WEBHOOK_SECRET", "s1",
          "AZURE_DEVOPS_TOKEN", "hidden-token",
          "AZURE_DEVOPS_URL", "https://dev.azure.com/fabrikam/");

  @Test
  void urlTokenAndSecretConfigureAzureDevOps() {
    var config = AzureConfig.from(ALL).orElseThrow();

    assertThat(config.url()).hasToString("https://dev.azure.com/fabrikam");
    assertThat(config.access()).isEmpty();
    assertThat(config.closedStates())
        .containsExactlyInAnyOrder("closed", "done", "completed", "removed");
    assertThat(config.toString()).doesNotContain("s1", "hidden-token");
    assertThat(AzureConfig.from(Map.of())).isEmpty();
  }

  @Test
  void namesAreComparedWithoutCase() {
    var settings = new HashMap<>(ALL);
    settings.put("AZURE_DEVOPS_ACCESS", "Dana@Fabrikam.example, FABRIKAM\\lee");
    settings.put("AZURE_DEVOPS_CLOSED_STATES", "Shipped, Won't do");

    var config = AzureConfig.from(settings).orElseThrow();

    assertThat(config.access()).containsExactlyInAnyOrder("dana@fabrikam.example", "fabrikam\\lee");
    assertThat(config.closedStates()).containsExactlyInAnyOrder("shipped", "won't do");
  }

  @ParameterizedTest
  @ValueSource(strings = {"AZURE_DEVOPS_WEBHOOK_SECRET", "AZURE_DEVOPS_TOKEN", "AZURE_DEVOPS_URL"})
  void missingSettingIsNamed(String missing) {
    var settings = new HashMap<>(ALL);
    settings.remove(missing);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> AzureConfig.from(settings))
        .withMessageStartingWith(missing + " is missing");
  }
}
