package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.runnel.app.command.Manifest;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @Test
  void helpNamesEveryCommand() {
    assertThat(run(Map.of(), "--help")).isZero();
    assertThat(said())
        .contains("serve", "console", "check", "manifest", "run start", "run watch", "--port");
  }

  @Test
  void theManifestHasTheAddressOfThisInstallation() {
    assertThat(run(Map.of("RUNNEL_PUBLIC_URL", "https://agents.acme.dev/"), "manifest")).isZero();

    assertThat(said())
        .startsWith("_metadata:")
        .contains("https://agents.acme.dev/slack/events")
        .doesNotContain(Manifest.PLACEHOLDER);
    assertThat(complained()).isEmpty();
  }

  @Test
  void theManifestWithoutAPublicUrlHasTheDefaultAndAWarning() {
    assertThat(run(Map.of("PORT", "8081"), "manifest")).isZero();

    assertThat(said()).contains("http://localhost:8081/slack/events");
    assertThat(complained())
        .contains("Slack cannot reach http://localhost:8081", "RUNNEL_PUBLIC_URL");
  }

  @Test
  void socketManifestDescribesTheSameAppWithoutAddresses() throws Exception {
    assertThat(run(Map.of("RUNNEL_PUBLIC_URL", "https://agents.acme.dev"), "manifest")).isZero();
    var overHttp = (ObjectNode) new YAMLMapper().readTree(said());

    assertThat(run(Map.of("SLACK_APP_TOKEN", "xapp-1"), "manifest")).isZero();

    assertThat(said()).doesNotContain("http:", "https:", "url", "xapp-1");
    var overSocket = new YAMLMapper().readTree(said());
    assertThat(overSocket.at("/settings/socket_mode_enabled").asBoolean()).isTrue();
    ((ObjectNode) overHttp.path("settings")).put("socket_mode_enabled", true);
    for (var place :
        List.of(
            "/features/slash_commands/0",
            "/settings/event_subscriptions",
            "/settings/interactivity")) {
      ((ObjectNode) overHttp.at(place)).remove(List.of("url", "request_url"));
    }
    ((ObjectNode) overHttp.path("oauth_config")).remove("redirect_urls");
    assertThat(overSocket).isEqualTo(overHttp);
  }

  @Test
  void aSocketForManyWorkspacesStillNeedsAnAddressForBrowsers() throws Exception {
    var settings =
        Map.of(
            "SLACK_APP_TOKEN",
            "xapp-1",
            "SLACK_CLIENT_ID",
            "1.2",
            "SLACK_CLIENT_SECRET",
            "a-client-secret-of-slack",
            "RUNNEL_PUBLIC_URL",
            "https://agents.acme.dev");

    assertThat(run(settings, "manifest")).isZero();

    var manifest = new YAMLMapper().readTree(said());
    assertThat(manifest.at("/oauth_config/redirect_urls/0").asText())
        .isEqualTo("https://agents.acme.dev/slack/oauth_redirect");
    assertThat(manifest.at("/settings/event_subscriptions").has("request_url")).isFalse();
  }

  @Test
  void unknownCommandIsNamedWithASuggestion() {
    assertThat(run(Map.of(), "srve")).isEqualTo(2);
    assertThat(complained()).contains("Did you mean serve?", "--help");
  }

  @ParameterizedTest
  @ValueSource(strings = {"abc", "-1", "65536", "80 80", ""})
  void portThatIsNoneIsWrongUsage(String port) {
    assertThat(run(Map.of(), "serve", "--port", port)).isEqualTo(2);
    assertThat(complained()).contains("--port on the command line", "0 to 65535");
  }

  @Test
  void incompletePlatformSettingsStopTheStartAndAreNamed() {
    assertThat(run(Map.of("SLACK_BOT_TOKEN", "xoxb-secret"), "serve")).isOne();
    assertThat(complained()).contains("SLACK_SIGNING_SECRET").doesNotContain("xoxb-secret");

    assertThat(run(Map.of("GITHUB_WEBHOOK_SECRET", "secret-of-the-hook"), "serve")).isOne();
    assertThat(complained()).contains("GITHUB_TOKEN").doesNotContain("secret-of-the-hook");
  }

  @Test
  void consoleCommandRequiresAnExistingDataFolder() {
    assertThat(run(Map.of(), "console", "--data", "/nonexistent")).isOne();
    assertThat(complained()).contains("There is no Runnel in /nonexistent yet");
  }

  @Test
  void runCommandRequiresAnExistingDataFolder() {
    assertThat(run(Map.of("RUNNEL_DATA", "/nonexistent"), "run", "list")).isOne();
    assertThat(complained()).contains("There is no Runnel in /nonexistent yet");
  }

  @ParameterizedTest
  @ValueSource(strings = {"serve", "check", "manifest", "run list", "hook alerts"})
  void everyCommandTakesThePortAndTheDataFolderFromTheCommandLine(String command) {
    var words = new ArrayList<>(List.of(command.split(" ")));
    words.addAll(List.of("--data", "/nonexistent", "--port", "99999"));

    assertThat(run(Map.of("PORT", "1"), words.toArray(String[]::new))).isEqualTo(2);
    assertThat(complained()).startsWith("--port on the command line is 99999, and must be");
  }

  @Test
  void theDataFolderOfTheCommandLineWinsOverTheVariable() {
    assertThat(run(Map.of("RUNNEL_DATA", "/nonexistent"), "run", "list", "--data", "/other"))
        .isOne();
    assertThat(complained()).contains("There is no Runnel in /other yet");
  }

  private int run(Map<String, String> environment, String... words) {
    out.reset();
    err.reset();
    return new Main(stream(out), stream(err), environment).run(List.of(words));
  }

  private static PrintStream stream(ByteArrayOutputStream bytes) {
    return new PrintStream(bytes, true, StandardCharsets.UTF_8);
  }

  private String said() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private String complained() {
    return err.toString(StandardCharsets.UTF_8);
  }
}
