package dev.runnel.app.settings;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The addresses to which Runnel sends the tokens of platforms and of the run service.
class SecretAddressTest {
  private static Config with(String variable, String address) {
    var environment = new HashMap<>(Map.of(variable, address));
    environment.put("RUNNEL_AGENT_API_KEY", "0123456789abcdef");
    return Config.of(Settings.read(environment, Optional.empty(), Map.of()));
  }

  @Test
  void everyApiAddressOnTheInternetRequiresHttps() {
    for (var variable :
        List.of(
            "RUNNEL_AGENT_API_URL",
            "SLACK_API_URL",
            "GITHUB_API_URL",
            "GITLAB_URL",
            "JIRA_URL",
            "LINEAR_API_URL",
            "GITEA_URL",
            "AZURE_DEVOPS_URL")) {
      assertThatThrownBy(() -> with(variable, "http://example.com/api/"))
          .isInstanceOf(SettingsException.class)
          .hasMessageStartingWith(variable + " in the environment ")
          .hasMessageContaining(
              "uses http, so the token would go unencrypted through the internet. Use https.");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP://Example.com",
        "http://8.8.8.8/api",
        "http://172.32.0.1",
        "http://134744072",
        "http://[2001:db8::1]:3000",
        "http://[64:ff9b::8.8.8.8]",
        "http://[::ffff:8.8.8.8]",
        "http://169.254.169.254",
        "http://[fe80::1]",
        "http://my_host.example.com",
        "http://example.com:port/api",
        "http://user@my_host.example.com:80/api",
        "http://1.2.3",
        "http://localhost.example.com",
        "http://10.0.0.1.example.com",
        "http://internal.example.com",
        "http://127.0.0.1@example.com"
      })
  void plainHttpAddressOutsidePrivateNetworksIsRefused(String address) {
    assertThatThrownBy(() -> with("GITHUB_API_URL", address))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("GITHUB_API_URL");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://example.com/api/v3",
        "http://127.0.0.1:8080",
        "http://localhost:8080/api",
        "http://[::1]:8080",
        "http://10.0.0.11:8080",
        "http://172.20.0.3",
        "http://192.168.1.4",
        "http://100.100.1.1",
        "http://[fd00::5]",
        "http://[::ffff:10.0.0.1]",
        "http://gitea:3000",
        "http://gitea-1:3000",
        "http://gitea.tools.svc:3000",
        "http://gitea.tools.svc.cluster.local",
        "http://host.docker.internal:3000",
        "http://nas.local"
      })
  void httpsAddressesAndPrivateHttpAddressesAreAccepted(String address) {
    assertThatCode(() -> with("GITHUB_API_URL", address)).doesNotThrowAnyException();
  }

  @Test
  void addressThatReceivesNoTokenMayUsePlainHttp() {
    assertThatCode(() -> with("RUNNEL_PUBLIC_URL", "http://runnel.example.com"))
        .doesNotThrowAnyException();
  }
}
