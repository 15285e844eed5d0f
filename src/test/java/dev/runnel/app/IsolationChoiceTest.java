package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.app.server.RunnelServer;
import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.Settings;
import dev.runnel.app.settings.SettingsException;
import dev.runnel.testkit.AgentUsers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Starts on a machine without bubblewrap.
@Tag("slow")
class IsolationChoiceTest {
  private static final Map<String, String> GITHUB =
      Map.of(
          "GITHUB_WEBHOOK_SECRET",
          "a-secret-of-the-webhook",
          "GITHUB_TOKEN",
          "a-token",
          "GITHUB_API_URL",
          "http://127.0.0.1:1");

  @TempDir Path folder;

  @Test
  void connectedPlatformRequiresIsolationOrAnExplicitNone() {
    assertThatThrownBy(() -> start(GITHUB))
        .isInstanceOf(SettingsException.class)
        .hasMessageStartingWith(
            "RUNNEL_AGENTS_ISOLATION (agents.isolation) is auto, and bubblewrap does not work here")
        .hasMessageContaining("Install bubblewrap")
        .hasMessageContaining("set it to container")
        .hasMessageContaining("set it to none");

    var accepted = new HashMap<>(GITHUB);
    accepted.put("RUNNEL_AGENTS_ISOLATION", "none");
    try (var runnel = start(accepted)) {
      assertThat(runnel.lines()).anyMatch(line -> line.startsWith("Isolation    none: "));
    }
  }

  @Test
  void hookRequiresIsolationAsWell() throws IOException {
    Files.writeString(
        folder.resolve("runnel.yaml"),
        """
        hooks:
          alerts:
            proof: {kind: bearer, secret: [a-secret-of-the-hook]}
            template: "Look at {/title}"
        """);

    assertThatThrownBy(() -> start(Map.of("RUNNEL_CONFIG", folder + "/runnel.yaml")))
        .hasMessageContaining("bubblewrap does not work here");
  }

  @Test
  void trialWithoutPlatformsStartsAndReportsNoIsolation() {
    try (var runnel = start(Map.of())) {
      assertThat(runnel.lines())
          .anyMatch(
              line ->
                  line.startsWith(
                      "Isolation    none: agents can read and change all that Runnel's user can."));
    }
  }

  private RunnelServer start(Map<String, String> more) {
    var environment = new HashMap<>(more);
    environment.put("PATH", folder.toString());
    environment.put("RUNNEL_AGENTS_USER", AgentUsers.own());
    environment.put("HOME", folder.toString());
    environment.put("PORT", "0");
    environment.put("RUNNEL_DATA", folder.resolve("data").toString());
    var settings = Settings.read(environment, Optional.empty(), Map.of());
    return RunnelServer.start(Config.of(settings), environment, InstantSource.system());
  }
}
