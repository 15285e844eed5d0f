package dev.runnel.app.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AdminPortSettingsTest {
  private static Config config(Map<String, String> more) {
    var environment = new HashMap<String, String>();
    environment.put("PORT", "8080");
    environment.putAll(more);
    return Config.of(Settings.read(environment, Optional.empty(), Map.of()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"8080", "0", "70000"})
  void adminPortThatIsNotSeparateIsRefused(String port) {
    assertThatThrownBy(() -> config(Map.of("RUNNEL_ADMIN_PORT", port)))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("RUNNEL_ADMIN_PORT");
  }

  @Test
  void adminPortListensOnLoopbackUnlessAnAddressIsSet() {
    var usual = config(Map.of("RUNNEL_HOST", "0.0.0.0", "RUNNEL_ADMIN_PORT", "9090"));
    var open =
        config(
            Map.of(
                "RUNNEL_HOST",
                "0.0.0.0",
                "RUNNEL_ADMIN_PORT",
                "9090",
                "RUNNEL_ADMIN_HOST",
                "0.0.0.0"));

    assertThat(usual.addresses().consoleHost()).isEqualTo("127.0.0.1");
    assertThat(open.addresses().consoleHost()).isEqualTo("0.0.0.0");
    assertThat(open.addresses().here(9090)).hasToString("http://127.0.0.1:9090");
    assertThat(config(Map.of("RUNNEL_HOST", "0.0.0.0")).addresses().consoleHost())
        .isEqualTo("0.0.0.0");
  }

  @Test
  void consoleLinksUseTheConfiguredAdminUrl() {
    var behind =
        config(
            Map.of(
                "RUNNEL_PUBLIC_URL",
                "https://runnel.example",
                "RUNNEL_ADMIN_PORT",
                "9090",
                "RUNNEL_ADMIN_URL",
                "https://console.example"));
    var direct =
        config(Map.of("RUNNEL_PUBLIC_URL", "https://runnel.example", "RUNNEL_ADMIN_PORT", "9090"));

    assertThat(behind.addresses().consoleUrl(9090)).hasToString("https://console.example");
    assertThat(direct.addresses().consoleUrl(9090)).hasToString("http://localhost:9090");
    assertThat(
            config(Map.of("RUNNEL_PUBLIC_URL", "https://runnel.example"))
                .addresses()
                .consoleUrl(8080))
        .hasToString("https://runnel.example");
  }

  @ParameterizedTest
  @CsvSource({"RUNNEL_ADMIN_HOST,0.0.0.0", "RUNNEL_ADMIN_URL,https://console.example"})
  void anAddressWithoutAPortIsRefused(String name, String value) {
    assertThatThrownBy(() -> config(Map.of(name, value)))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining(name)
        .hasMessageContaining("RUNNEL_ADMIN_PORT is missing");
  }
}
