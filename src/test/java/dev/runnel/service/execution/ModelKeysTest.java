package dev.runnel.service.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.runnel.service.agent.Agents;
import dev.runnel.service.agent.ModelLogin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelKeysTest {
  private static final String KEY = "s3cret-of-anthropic";
  @TempDir Path bin;

  private List<ModelLogin> logins(String agent) throws IOException {
    Files.createFile(
        bin.resolve(agent),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    return Agents.find(Optional.empty(), Map.of("PATH", bin.toString()))
        .defaultAgent()
        .modelLogins();
  }

  @Test
  void anAgentHasAPlaceholderAndTheAddressAtWhichItWorks() throws IOException {
    var given = Map.of("ANTHROPIC_API_KEY", KEY, "LANG", "C");
    var keys = ModelKeys.of(logins("claude"), given, List.of());

    assertThat(keys.variables(given))
        .containsOnly(
            entry("ANTHROPIC_API_KEY", "added-by-runnel-anthropic-api-key"),
            entry("ANTHROPIC_BASE_URL", "http://127.0.0.1:3129/api.anthropic.com"));
    assertThat(keys.gateways()).hasSize(1);
    assertThat(keys.toString()).doesNotContain(KEY);
  }

  @Test
  void theProviderIsTheOneThatTheOperatorNamed() throws IOException {
    var given =
        Map.of("ANTHROPIC_AUTH_TOKEN", KEY, "ANTHROPIC_BASE_URL", "https://llm.corp:8443/claude/");

    assertThat(ModelKeys.of(logins("claude"), given, List.of()).variables(given))
        .containsEntry("ANTHROPIC_BASE_URL", "http://127.0.0.1:3129/llm.corp:8443/claude");
  }

  @Test
  void unreadableModelAddressGetsNoKey() throws IOException {
    var given = Map.of("ANTHROPIC_API_KEY", KEY, "ANTHROPIC_BASE_URL", "llm.corp:8443");
    var keys = ModelKeys.of(logins("claude"), given, List.of());

    assertThat(keys.gateways()).isEmpty();
    assertThat(keys.variables(given))
        .containsOnly(entry("ANTHROPIC_API_KEY", "added-by-runnel-anthropic-api-key"));
  }

  @Test
  void variablesStayUnchangedWithoutAKey() throws IOException {
    var given = Map.of("ANTHROPIC_BASE_URL", "https://llm.corp", "ANTHROPIC_API_KEY", " ");

    assertThat(ModelKeys.of(logins("claude"), given, List.of()).variables(given)).isEmpty();
  }

  @Test
  void aSettingsFileHasPlaceholdersAndTheAddress() throws IOException {
    var file =
        """
        {"env": {"ANTHROPIC_API_KEY": "%s", "ANTHROPIC_BASE_URL": "https://llm.corp"}, "model": "opus"}
        """
            .formatted(KEY);
    var keys = ModelKeys.of(logins("claude"), Map.of(), List.of(file));

    assertThat(keys.replaceKeys(file))
        .isEqualTo(
            """
            {"env": {"ANTHROPIC_API_KEY": "added-by-runnel-anthropic-api-key", "ANTHROPIC_BASE_URL": "http://127.0.0.1:3129/llm.corp"}, "model": "opus"}
            """);
  }

  @Test
  void keysInAVariablesFileAreReplacedByPlaceholders() throws IOException {
    var file = "export GEMINI_API_KEY='of-the-file'\nGOOGLE_API_KEY=of-google # mine\n";
    var given = Map.of("GEMINI_API_KEY", "of-the-variable");
    var keys = ModelKeys.of(logins("gemini"), given, List.of(file));

    assertThat(keys.replaceKeys(file))
        .isEqualTo(
            """
            export GEMINI_API_KEY='added-by-runnel-gemini-api-key-of-file'
            GOOGLE_API_KEY=added-by-runnel-google-api-key # mine
            """);
    assertThat(keys.variables(given))
        .containsEntry("GEMINI_API_KEY", "added-by-runnel-gemini-api-key");
  }

  @Test
  void aLoginFileWithoutAKeyStaysAsItIs() throws IOException {
    var file = "{\"OPENAI_API_KEY\": null, \"tokens\": {\"access_token\": \"x\"}}";
    var keys = ModelKeys.of(logins("codex"), Map.of(), List.of(file));

    assertThat(keys.gateways()).isEmpty();
    assertThat(keys.replaceKeys(file)).isEqualTo(file);
  }
}
