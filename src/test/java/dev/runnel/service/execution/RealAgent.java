package dev.runnel.service.execution;

import dev.runnel.service.run.AgentAccess;
import dev.runnel.testkit.FakeModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/// A real coding agent, set up the way its vendor documents it to ask a certain model, and to call
/// nobody else.
///
/// @param model a name that the agent passes on
/// @param access Codex keeps its sandbox's helpers in its home and refuses to when that is in the
///   folder for temporary files
record RealAgent(
    String name,
    String model,
    AgentAccess access,
    Map<String, String> environment,
    String file,
    String settings) {
  private static final String QUIET =
      "check_for_update_on_startup = false\n[analytics]\nenabled = false\n";

  static RealAgent claude(FakeModel model) {
    return new RealAgent(
        "claude",
        "claude-fake-1",
        AgentAccess.WORKSPACE,
        Map.of(
            "ANTHROPIC_BASE_URL",
            model.uri().toString(),
            "ANTHROPIC_API_KEY",
            "fake-key",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
            "1",
            "DISABLE_TELEMETRY",
            "1",
            "CLAUDE_CODE_MAX_RETRIES",
            "1"),
        ".claude/settings.json",
        "{}");
  }

  static RealAgent codex(FakeModel model) {
    return new RealAgent(
        "codex",
        "fake-1",
        AgentAccess.FULL,
        Map.of("CODEX_FAKE_KEY", "fake-key"),
        ".codex/config.toml",
        """
        model_provider = "fake"
        check_for_update_on_startup = false

        [analytics]
        enabled = false

        [model_providers.fake]
        name = "Fake"
        base_url = "%s/v1"
        env_key = "CODEX_FAKE_KEY"
        wire_api = "responses"
        request_max_retries = 1
        stream_max_retries = 1
        """
            .formatted(model.uri()));
  }

  /// With the provider that it has built in, at another address.
  static RealAgent codexWithVariables(FakeModel model) {
    return codexOfItsOwnProvider(
        model, Map.of("CODEX_API_KEY", "fake-key"), ".codex/config.toml", QUIET);
  }

  /// With a key that `codex login --with-api-key` has stored.
  static RealAgent codexWithLoginFile(FakeModel model) {
    var login = "{\"auth_mode\": \"apikey\", \"OPENAI_API_KEY\": \"fake-key\"}";
    return codexOfItsOwnProvider(model, Map.of(), ".codex/auth.json", login);
  }

  private static RealAgent codexOfItsOwnProvider(
      FakeModel model, Map<String, String> variables, String file, String settings) {
    var environment = new HashMap<>(variables);
    environment.put("OPENAI_BASE_URL", model.uri() + "/v1");
    return new RealAgent("codex", "fake-1", AgentAccess.FULL, environment, file, settings);
  }

  static RealAgent gemini(FakeModel model) {
    return new RealAgent(
        "gemini",
        "gemini-2.5-pro",
        AgentAccess.WORKSPACE,
        Map.of("GOOGLE_GEMINI_BASE_URL", model.uri().toString(), "GEMINI_API_KEY", "fake-key"),
        ".gemini/settings.json",
        """
        {
          // Comments are allowed here.
          "security": {"auth": {"selectedType": "gemini-api-key"}},
          "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
          "privacy": {"usageStatisticsEnabled": false}
        }
        """);
  }

  static RealAgent opencode(FakeModel model) {
    return new RealAgent(
        "opencode",
        "fake/fake-1",
        AgentAccess.WORKSPACE,
        Map.of(
            "OPENCODE_FAKE_KEY",
            "fake-key",
            "OPENCODE_DISABLE_AUTOUPDATE",
            "1",
            "OPENCODE_DISABLE_MODELS_FETCH",
            "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD",
            "1"),
        ".config/opencode/opencode.json",
        """
        {
          "autoupdate": false,
          "share": "disabled",
          "model": "fake/fake-1",
          "provider": {
            "fake": {
              "npm": "@ai-sdk/openai-compatible",
              "name": "Fake",
              "options": {"baseURL": "%s/v1", "apiKey": "{env:OPENCODE_FAKE_KEY}"},
              "models": {"fake-1": {"name": "Fake"}}
            }
          }
        }
        """
            .formatted(model.uri()));
  }

  /// Writes its settings into a home folder.
  void settleIn(Path home) throws IOException {
    var target = home.resolve(file);
    Files.createDirectories(target.getParent());
    Files.writeString(target, settings);
  }
}
