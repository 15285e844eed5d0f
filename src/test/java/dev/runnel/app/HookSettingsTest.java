package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.app.settings.Settings;
import dev.runnel.app.settings.SettingsException;
import dev.runnel.surface.hook.Hook;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HookSettingsTest {
  private static final String WHOLE =
      """
      hooks:
        alerts:
          proof: {kind: hmac-sha256, secret: "${ALERTS_SECRET}", header: X-Sig, prefix: sha256=, encoding: base64, sent_at: /at, tolerance: 90s}
          only: {/status: [firing, resolved], /team: shop}
          cancel: {/status: resolved}
          template: Look into {/alert/name}.
          title: /alert/name
          conversation: /alert/group
          delivery: X-Request-Id
          link: /url
          callback: https://alerts.example/runnel
          profile: fast
      """;
  private static final Map<String, String> SECRETS = Map.of("ALERTS_SECRET", "a secret of alerts");

  @TempDir Path folder;

  @Test
  void completeHookIsRead() {
    var hooks = hooks(WHOLE);

    assertThat(hooks).extracting(Hook::name).containsExactly("alerts");
    assertThat(hooks.getFirst().proof().secrets()).containsExactly("a secret of alerts");
    assertThat(hooks.getFirst().only()).hasSize(2);
    assertThat(hooks.getFirst().options().profile()).contains("fast");
    assertThat(hooks.toString()).doesNotContain("a secret of alerts");
  }

  @Test
  void exampleHookIsValid() throws IOException {
    var example =
        Files.readAllLines(Path.of("examples/runnel.yaml")).stream()
            .dropWhile(line -> !line.equals("# hooks:"))
            .takeWhile(line -> !line.isEmpty())
            .map(line -> line.substring(2))
            .collect(Collectors.joining("\n"));

    assertThat(hooks(example)).extracting(Hook::name).containsExactly("alerts");
    assertThat(hooks(example).getFirst().callback()).isPresent();
  }

  @Test
  void hookSecretVariablesAreHiddenFromAgents() {
    var settings = Settings.read(SECRETS, Optional.of(write(WHOLE)), Map.of());

    assertThat(settings.withoutSecrets(SECRETS)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {template: x} | hooks.alerts.proof is missing: whoever can send to a hook can start runs.
          {template: x, proof: {kind: none}} | hooks.alerts.proof.kind must be one of hmac-sha256, standard-webhooks, bearer
          {template: x, proof: {kind: bearer}} | hooks.alerts.proof.secret needs a secret
          {template: x, proof: {kind: bearer, secret: "  "}} | hooks.alerts.proof.secret must be one value
          {template: x, proof: {kind: standard-webhooks, secret: abc}} | hooks.alerts.proof.secret
          {template: x, proof: {kind: bearer, secret: fifteen-letters}} | hooks.alerts.proof.secret is too short: a secret has at least 16 characters
          {template: x, proof: {kind: bearer, secret: [sixteen-letters!, short]}} | hooks.alerts.proof.secret is too short
          {template: x, proof: {kind: bearer, secret: "${NOT_SET}"}} | the variable NOT_SET, which is not set
          {template: x, proof: {kind: bearer, secret: sixteen-letters!, tolerance: 5m}} | without sent_at
          {template: x, proof: {kind: bearer, secret: sixteen-letters!, sent_at: /at, tolerance: soon}} | must be a time like 90s
          {proof: {kind: bearer, secret: sixteen-letters!}} | needs either a template
          {template: x, prompt: /p, proof: {kind: bearer, secret: sixteen-letters!}} | needs either a template
          {prompt: p, proof: {kind: bearer, secret: sixteen-letters!}} | "p" is not a JSON Pointer
          {prompt: /p, titel: /t, proof: {kind: bearer, secret: sixteen-letters!}} | hooks.alerts.titel. Did you mean title?
          {prompt: /p, callback: ftp://x.example, proof: {kind: bearer, secret: sixteen-letters!}} | callback needs a web address
          {prompt: /p, only: failed, proof: {kind: bearer, secret: sixteen-letters!}} | like /action: failed
          """)
  void invalidHookSettingStopsTheStartAndIsNamed(String hook, String complaint) {
    assertThatThrownBy(() -> hooks("hooks:\n  alerts: " + hook + "\n"))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining(complaint);
  }

  @Test
  void hookNameThatIsInvalidInAUrlIsRefused() {
    assertThatThrownBy(
            () ->
                hooks(
                    "hooks:\n"
                        + "  \"a b\": {prompt: /p, proof: {kind: bearer, secret:"
                        + " sixteen-letters!}}\n"))
        .hasMessageContaining("needs a name of lower-case letters");
  }

  @Test
  void hookTrialShowsThePromptOfASample() throws IOException {
    var sample =
        Files.writeString(
            folder.resolve("sample.json"),
            "{\"status\": \"firing\", \"team\": \"shop\", \"alert\": {\"name\": \"Disk\","
                + " \"group\": \"g1\"}}");

    assertThat(tried("alerts", sample.toString()))
        .contains(
            "Conversation  g1", "Title         Disk", "Profile       fast", "Look into <data-")
        .contains(">Disk</data-");
    assertThat(tried("other", sample.toString())).contains("There are: alerts.");
    Files.writeString(sample, "{\"status\": \"pending\"}");
    assertThat(tried("alerts", sample.toString())).contains("Not for this hook: /status is not");
  }

  private String tried(String name, String sample) {
    var said = new ByteArrayOutputStream();
    var print = new PrintStream(said, true, StandardCharsets.UTF_8);
    var file = write(WHOLE).toString();
    var _ = new Main(print, print, SECRETS).run(List.of("hook", name, sample, "--config", file));
    return said.toString(StandardCharsets.UTF_8);
  }

  private List<Hook> hooks(String file) {
    return Settings.read(SECRETS, Optional.of(write(file)), Map.of()).hooks();
  }

  private Path write(String text) {
    try {
      return Files.writeString(folder.resolve("runnel.yaml"), text);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
