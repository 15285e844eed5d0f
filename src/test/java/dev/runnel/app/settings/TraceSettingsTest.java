package dev.runnel.app.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TraceSettingsTest {
  private static Optional<TraceSettings> traces(Map<String, String> environment) {
    return Config.of(Settings.read(environment, Optional.empty(), Map.of())).traces();
  }

  @Test
  void tracesAreOffUnlessAReceiverIsSet() {
    assertThat(traces(Map.of())).isEmpty();
    assertThat(traces(Map.of("RUNNEL_TRACES_ENDPOINT", "off"))).isEmpty();
  }

  @Test
  void theReceiverHasHeadersThatAreNotPrinted() {
    var traces =
        traces(
                Map.of(
                    "RUNNEL_TRACES_ENDPOINT", "https://otlp.acme.dev/v1/traces",
                    "RUNNEL_TRACES_HEADERS", "Authorization=Bearer a=b, X-Team = shop"))
            .orElseThrow();

    assertThat(traces.endpoint()).isEqualTo(URI.create("https://otlp.acme.dev/v1/traces"));
    assertThat(traces.headers()).isEqualTo(Map.of("Authorization", "Bearer a=b", "X-Team", "shop"));
    assertThat(traces.toString()).doesNotContain("Bearer");
  }

  @ParameterizedTest
  @CsvSource({
    "RUNNEL_TRACES_ENDPOINT, localhost:4318, must be off or a web address",
    "RUNNEL_TRACES_HEADERS, Bearer, needs headers as NAME=VALUE"
  })
  void invalidTraceSettingIsNamed(String variable, String value, String why) {
    var environment =
        variable.equals("RUNNEL_TRACES_ENDPOINT")
            ? Map.of(variable, value)
            : Map.of("RUNNEL_TRACES_ENDPOINT", "http://localhost:4318/v1/traces", variable, value);

    assertThatThrownBy(() -> traces(environment))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining(variable)
        .hasMessageContaining(why);
  }
}
