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
import java.net.http.HttpRequest.BodyPublishers;
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

  /// As an operator may write it: not in the form that Runnel gives it.
  private static final String API_KEY = "the-key-of-the-service-of-runs";

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

  private static final String HOOK_SECRET = "the-secret-of-the-hook";
  private static final String HOOKS =
      """
      hooks:
        forms:
          proof: {kind: bearer, secret: %s}
          prompt: /prompt
          delivery: /id
      """
          .formatted(HOOK_SECRET);

  @TempDir Path folder;

  @Test
  void secretsAreMaskedInThreadConsoleTranscriptLogAndPrompt() throws Exception {
    var pem = Files.writeString(folder.resolve("app.pem"), pem());
    var theirPem = pem();
    var data = Files.createDirectories(folder.resolve("data"));
    Files.writeString(data.resolve("agent-api-key"), API_KEY + "\n");
    Files.writeString(folder.resolve("runnel.yaml"), HOOKS);
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
        slack.message(
            CHANNEL,
            ANN,
            "<@" + BOT + "> look around with " + SAID + " and " + API_KEY + "\n" + theirPem);
        await()
            .atMost(PATIENCE)
            .until(() -> slack.messages(CHANNEL).toString().contains("That is all."));
        var told = Files.readString(folder.resolve("told"));
        slack.message(CHANNEL, ANN, "<@" + BOT + "> config set prompt Use " + SAID + " here");
        await()
            .atMost(PATIENCE)
            .until(() -> slack.messages(CHANNEL).toString().contains("set the default"));
        // The log names deliveries by the ids that their senders give them.
        deliver(runnel, FOUND);
        await().atMost(PATIENCE).until(() -> runnel.log().contains("delivery=hooks"));

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
                told);
        assertThat(seen.get(0))
            .contains("The service's key is (redacted), Slack's are (redacted) and (redacted)");
        assertThat(seen.get(1))
            .contains("key is (redacted), Slack's are (redacted)", "That is all.");
        assertThat(seen.getLast())
            .startsWith("look around with (redacted) and (redacted)\n(redacted)");
        for (var each : seen) {
          assertThat(each)
              .doesNotContain(
                  API_KEY, LocalSlack.BOT_TOKEN, LocalSlack.SIGNING_SECRET, FOUND, SAID);
          assertThat(each).doesNotContain(Files.readAllLines(pem).subList(1, 5));
          assertThat(each).doesNotContain(theirPem.lines().toList().subList(1, 5));
        }
      }
    }
  }

  private static void deliver(RunnelProcess runnel, String id) throws Exception {
    var answer =
        runnel.send(
            HttpRequest.newBuilder(URI.create(runnel.url() + "/webhooks/hooks/forms"))
                .header("Authorization", "Bearer " + HOOK_SECRET)
                .header("Content-Type", "application/json")
                .POST(
                    BodyPublishers.ofString("{\"id\":\"%s\",\"prompt\":\"look\"}".formatted(id))));
    assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 299);
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
