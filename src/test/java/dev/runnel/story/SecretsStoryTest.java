package dev.runnel.story;

import static dev.runnel.testkit.LocalSlack.ANN;
import static dev.runnel.testkit.LocalSlack.BOT;
import static dev.runnel.testkit.LocalSlack.CHANNEL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.testkit.LocalSlack;
import dev.runnel.testkit.RunnelProcess;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// An agent that found Runnel's secrets prints them, and a person says one.
@Tag("slow")
class SecretsStoryTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Pattern RUN = Pattern.compile("[0-9a-f]{8}-[0-9a-f-]{27}");
  private static final String CONSOLE_TOKEN = "the-token-of-the-console";
  private static final String SAID = "glpat-a1B2c3D4e5a1B2c3D4e5";
  private static final String FOUND = "ghp_" + "a1B2c3D4e5".repeat(4);

  private static final String AGENT =
      """
      cat > "$HOME/told"
      echo "::status The key is $(cat "$HOME/data/agent-api-key")"
      cat "$HOME/app.pem"
      echo "It was the App's." >&2
      cat "$HOME/app.pem" >&2
      echo
      echo "The service's key is $(cat "$HOME/data/agent-api-key"), Slack's are %s and %s, the token is %s."
      cat "$HOME/app.pem"
      echo "That is all."
      """
          .formatted(LocalSlack.BOT_TOKEN, LocalSlack.SIGNING_SECRET, FOUND);

  @TempDir Path folder;

  @Test
  void areMaskedInTheThreadTheConsoleTheTranscriptTheLogAndThePrompt() throws Exception {
    var pem = Files.writeString(folder.resolve("app.pem"), pem());
    var agent = Files.writeString(folder.resolve("agent.sh"), AGENT);
    var port = RunnelProcess.freePort();
    try (var slack = LocalSlack.start(URI.create("http://127.0.0.1:" + port + "/slack/events"))) {
      var settings = new HashMap<>(slack.settings());
      settings.put("RUNNEL_AGENT_COMMAND", "sh '" + agent + "'");
      settings.put("GITHUB_WEBHOOK_SECRET", "a-secret-of-the-webhook");
      settings.put("GITHUB_APP_ID", "1");
      settings.put("RUNNEL_CONSOLE_TOKEN", CONSOLE_TOKEN);
      settings.put("GITHUB_PRIVATE_KEY_FILE", pem.toString());
      settings.put("GITHUB_API_URL", "http://127.0.0.1:1");
      try (var runnel = RunnelProcess.start(folder, port, settings)) {
        slack.message(CHANNEL, ANN, "<@" + BOT + "> look around with " + SAID);
        await()
            .atMost(PATIENCE)
            .until(() -> slack.messages(CHANNEL).toString().contains("That is all."));

        var key = Files.readString(runnel.data().resolve("agent-api-key")).strip();
        var run = RUN.matcher(runnel.log().substring(runnel.log().indexOf(" run=")));
        assertThat(run.find()).isTrue();
        var ours =
            slack.messages(CHANNEL).stream()
                .filter(message -> !message.path("text").asText().contains("<@" + BOT + ">"))
                .toList();
        var seen =
            List.of(
                ours.toString(),
                page(runnel, "/runs/" + run.group()),
                page(runnel, "/"),
                runnel.log(),
                Files.readString(folder.resolve("told")));
        assertThat(seen.get(0))
            .contains("The service's key is (redacted), Slack's are (redacted) and (redacted)");
        assertThat(seen.get(1))
            .contains("key is (redacted), Slack's are (redacted)", "That is all.");
        assertThat(seen.getLast()).startsWith("look around with (redacted)");
        for (var each : seen) {
          assertThat(each)
              .doesNotContain(key, LocalSlack.BOT_TOKEN, LocalSlack.SIGNING_SECRET, FOUND, SAID);
          assertThat(each).doesNotContain(Files.readAllLines(pem).subList(1, 5));
        }
      }
    }
  }

  private static String page(RunnelProcess runnel, String path) throws Exception {
    return runnel
        .send(
            HttpRequest.newBuilder(URI.create(runnel.url() + path))
                .header("Authorization", "Bearer " + CONSOLE_TOKEN))
        .body();
  }

  private static String pem() throws Exception {
    var generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2048);
    var key = generator.generateKeyPair().getPrivate().getEncoded();
    var lines = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));
    return "-----BEGIN PRIVATE KEY-----\n"
        + lines.encodeToString(key)
        + "\n-----END PRIVATE KEY-----\n";
  }
}
