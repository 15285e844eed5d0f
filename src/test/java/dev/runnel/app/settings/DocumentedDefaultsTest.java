package dev.runnel.app.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.surface.Setting;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The defaults that the documentation states are those in force.
class DocumentedDefaultsTest {
  /// Those whose default is described in words.
  private static final Set<Setting> IN_WORDS =
      Set.of(
          RunnelSettings.ADMIN_PORT,
          RunnelSettings.ADMIN_URL,
          RunnelSettings.PUBLIC_URL,
          RunnelSettings.AGENT_API_URL,
          RunnelSettings.AGENT_COMMAND,
          RunnelSettings.AGENT_SLOTS_OF_ALL,
          RunnelSettings.AGENT_SLOTS_PER_PERSON,
          RunnelSettings.ADMINS);

  static Stream<Setting> literalDefaults() {
    return RunnelSettings.ALL.stream()
        .filter(setting -> !setting.defaultValue().isEmpty())
        .filter(setting -> !IN_WORDS.contains(setting));
  }

  private static Config config(Map<String, String> values) {
    var environment = new HashMap<>(values);
    // Without it, the address of the admin port must not be set.
    environment.put("RUNNEL_ADMIN_PORT", "9090");
    return Config.of(Settings.read(environment, Optional.empty(), Map.of()));
  }

  @ParameterizedTest
  @MethodSource("literalDefaults")
  void documentedDefaultIsInForce(Setting setting) {
    var unset = config(Map.of());
    var set = config(Map.of(setting.variable(), setting.defaultValue()));

    assertThat(set)
        .usingRecursiveComparison()
        .ignoringFields("settings", "dispatch.traces")
        .isEqualTo(unset);
    assertThat(set.machine(Map.of(), Path.of("data")).quotas())
        .isEqualTo(unset.machine(Map.of(), Path.of("data")).quotas());
  }
}
