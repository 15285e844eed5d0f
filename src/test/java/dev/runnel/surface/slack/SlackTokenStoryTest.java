package dev.runnel.surface.slack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.testkit.RunnelProcess;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The bot token stops working while people go on to type commands.
@Tag("slow")
class SlackTokenStoryTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String HELD = "runnel_surface_held{surface=\"slack\"}";

  @TempDir Path folder;
  private final ScriptedSlack slack = new ScriptedSlack();
  private RunnelProcess runnel;

  @BeforeEach
  void open() throws Exception {
    Files.writeString(
        folder.resolve("runnel.yaml"),
        """
        hooks:
          alerts:
            proof: {kind: bearer, secret: sesame-of-sixteen-letters}
            template: Look into the alert
        """);
    runnel =
        RunnelProcess.start(
            folder,
            RunnelProcess.freePort(),
            Map.of(
                "SLACK_API_URL",
                slack.apiUrl().toString(),
                "SLACK_SIGNING_SECRET",
                SlackRequests.SECRET,
                "SLACK_BOT_TOKEN",
                "xoxb-test-token",
                "RUNNEL_AGENT_COMMAND",
                "cat"));
  }

  @AfterEach
  void close() {
    runnel.close();
    slack.close();
  }

  @Test
  void commandWaitsForAValidTokenWhileReadinessNamesSlack() throws Exception {
    slack.refusesTokens("token_revoked");
    assertThat(says("/agent", "fix the flaky test")).isEqualTo(200);

    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              var ready = runnel.get("/readyz");
              assertThat(ready.statusCode()).isEqualTo(503);
              assertThat(ready.body()).contains("Slack", "SLACK_BOT_TOKEN");
            });
    assertThat(runnel.metric("runnel_inbox_waiting")).isOne();

    slack.refusesTokens("");
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                slack.calls("chat.postMessage").stream()
                    .anyMatch(call -> call.field("text").contains("Finished")));
    assertThat(runnel.get("/readyz").statusCode()).isEqualTo(200);
    assertThat(runnel.metric("runnel_inbox_parked") + runnel.metric("runnel_outbox_parked"))
        .isZero();
  }

  @Test
  void metricShowsARefusedTokenUntilItIsAccepted() throws Exception {
    assertThat(runnel.get("/metrics").body()).contains(HELD + " 0.0\n");

    slack.refusesTokens("token_revoked");
    assertThat(says("/agent", "fix the flaky test")).isEqualTo(200);
    await().atMost(PATIENCE).until(() -> runnel.metric(HELD) == 1);

    slack.refusesTokens("");
    await().atMost(PATIENCE).until(() -> runnel.metric(HELD) == 0);
  }

  @Test
  void deliveriesOfOtherPlatformsAreAcceptedWhileTheTokenIsRefused() throws Exception {
    var readiness =
        new YAMLMapper()
            .readTree(Path.of("deploy/kubernetes/deployment.yaml").toFile())
            .at("/spec/template/spec/containers/0/readinessProbe/httpGet/path")
            .asText();
    slack.refusesTokens("token_revoked");
    assertThat(says("/agent", "fix the flaky test")).isEqualTo(200);
    await().atMost(PATIENCE).until(() -> runnel.get("/readyz").statusCode() == 503);

    var ready = runnel.get(readiness);
    assertThat(ready.statusCode()).as(ready.body()).isEqualTo(200);
    assertThat(
            runnel
                .send(
                    HttpRequest.newBuilder(URI.create(runnel.url() + "/webhooks/hooks/alerts"))
                        .header("Authorization", "Bearer sesame-of-sixteen-letters")
                        .POST(BodyPublishers.ofString("{}")))
                .statusCode())
        .isBetween(200, 299);
    assertThat(runnel.get("/readyz").statusCode()).isEqualTo(503);
  }

  private int says(String command, String text) throws Exception {
    var body =
        "command=%s&text=%s&team_id=T0ACME&channel_id=C0DEV&user_id=U0ANN&trigger_id=1.2.3"
            .formatted(command, text.replace(' ', '+'));
    var now = Instant.now();
    var signed =
        SlackRequests.signed(body.getBytes(StandardCharsets.UTF_8), SlackRequests.SECRET, now, now);
    var request =
        HttpRequest.newBuilder(URI.create(runnel.url() + SlackConfig.EVENTS_PATH))
            .POST(BodyPublishers.ofByteArray(signed.body()));
    signed.headers().forEach(request::header);
    return runnel.send(request).statusCode();
  }
}
