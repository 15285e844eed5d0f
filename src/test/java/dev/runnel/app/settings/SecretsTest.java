package dev.runnel.app.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.surface.Setting;
import dev.runnel.text.Redactor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SecretsTest {
  @TempDir Path folder;

  static List<Setting> secretSettings() {
    return KnownPlatforms.settings().stream().filter(Setting::isSecret).toList();
  }

  @ParameterizedTest
  @MethodSource("secretSettings")
  void eachOfASecretSettingsValuesIsMasked(Setting setting) throws IOException {
    var redactor = redactor(Map.of(setting.variable(), "first-value,second-value"), "");

    assertThat(redactor.redact("first-value and second-value, first-value,second-value"))
        .isEqualTo("(redacted) and (redacted), (redacted)");
  }

  @Test
  void thePasswordInTheDatabasesAddressIsMasked() throws IOException {
    var address = "jdbc:postgresql://db/runnel?user=runnel&password=p%40ssword-1&ssl=true";

    assertThat(
            redactor(Map.of("RUNNEL_DATABASE_URL", address), "")
                .redact("no runnel with p@ssword-1 or p%40ssword-1"))
        .isEqualTo("no runnel with (redacted) or (redacted)");
  }

  @Test
  void theLinesOfTheKeyFileAreMasked() throws IOException {
    var file =
        Files.writeString(
            folder.resolve("key.pem"), "-----BEGIN KEY-----\nMIIEpAIBAAK\n-----END KEY-----\n");

    assertThat(
            redactor(Map.of("GITHUB_PRIVATE_KEY_FILE", file.toString()), "")
                .redact("It has MIIEpAIBAAK."))
        .isEqualTo("It has (redacted).");
  }

  @Test
  void secretsOfHooksAndLentVariablesAreMasked() throws IOException {
    var redactor =
        redactor(
            Map.of("NPM_TOKEN", "npm-value", "ALERTS", "value-of-the-hook"),
            """
            agents:
              environments:
                web: {variables: [NPM_TOKEN]}
            hooks:
              alerts: {proof: {kind: bearer, secret: "${ALERTS}"}, prompt: /text}
            """);

    assertThat(redactor.redact("npm-value, value-of-the-hook")).isEqualTo("(redacted), (redacted)");
  }

  @Test
  void ordinaryValueIsNotMasked() throws IOException {
    var settings = Map.of("RUNNEL_HOST", "ordinary-value", "SLACK_CLIENT_ID", "ordinary-value");

    assertThat(redactor(settings, "").redact("ordinary-value")).isEqualTo("ordinary-value");
  }

  private Redactor redactor(Map<String, String> environment, String file) throws IOException {
    var path = Files.writeString(folder.resolve("runnel.yaml"), file);
    return Redactor.of(Secrets.of(Settings.read(environment, Optional.of(path), Map.of())));
  }
}
