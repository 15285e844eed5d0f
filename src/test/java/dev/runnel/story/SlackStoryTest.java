package dev.runnel.story;

import static dev.runnel.testkit.LocalSlack.ANN;
import static dev.runnel.testkit.LocalSlack.BOT;
import static dev.runnel.testkit.LocalSlack.CHANNEL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.surface.kit.Hmac;
import dev.runnel.testkit.LocalSlack;
import dev.runnel.testkit.RunnelProcess;
import dev.runnel.testkit.SignedSlack;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// A Slack thread and its run, with a Slack emulator and a real agent command, on both ways from
/// Slack to us.
@Tag("slow")
@ParameterizedClass
@EnumSource(LocalSlack.Transport.class)
class SlackStoryTest {
  /// Works for a moment, or for ever when told to wait; knows how often it was called.
  private static final String AGENT =
      """
      prompt=$(cat)
      echo "::status Looking at the test"
      case "$prompt" in
        *wait*) sleep 600 & wait ;;
        *slow*) sleep 4 ;;
      esac
      echo "Execution $RUNNEL_EXECUTION looked at it."
      echo
      echo "Fixed: $prompt"
      echo "https://github.com/acme/shop/pull/$RUNNEL_EXECUTION"
      """;

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final LocalSlack.Transport transport;
  @TempDir Path folder;
  private LocalSlack slack;
  private RunnelProcess runnel;

  SlackStoryTest(LocalSlack.Transport transport) {
    this.transport = transport;
  }

  @BeforeEach
  void open() throws Exception {
    var port = RunnelProcess.freePort();
    slack = LocalSlack.start(transport, URI.create("http://127.0.0.1:" + port + "/slack/events"));
    var agent = Files.writeString(folder.resolve("agent.sh"), AGENT);
    var settings = new HashMap<>(slack.settings());
    settings.put("RUNNEL_AGENT_COMMAND", "sh '" + agent + "'");
    runnel = RunnelProcess.start(folder, port, settings);
  }

  @AfterEach
  void close() {
    // Neither is there when the emulator is not installed and the test is skipped.
    if (runnel != null) {
      runnel.close();
    }
    if (slack != null) {
      slack.close();
    }
  }

  @Test
  void slashCommandStartsARunAndItsThreadGetsTheAnswer() {
    var before = Instant.now();
    slack.command(CHANNEL, ANN, "/agent", "fix the flaky checkout test");
    assertThat(Duration.between(before, Instant.now())).isLessThan(SignedSlack.PATIENCE);

    awaitPosts("Fixed: fix the flaky checkout test");
    var root = root();
    assertThat(text(root)).contains(ANN).contains("fix the flaky checkout test");
    var posts = thread(root);
    assertThat(posts).hasSize(1);
    await().atMost(PATIENCE).until(() -> text(root()).contains("Finished"));
    assertThat(text(root())).contains("View PR #1").doesNotContain("cancel_run", "localhost");
    assertThat(text(posts.get(0)))
        .contains("Fixed: fix the flaky checkout test")
        .contains("https://github.com/acme/shop/pull/1")
        .doesNotContain("::status");
  }

  @Test
  void aReplyInTheThreadReachesTheSameRunAsItsSecondExecution() {
    slack.command(CHANNEL, ANN, "/agent", "fix it");
    awaitPosts("Fixed: fix it");
    var root = root();

    slack.reply(CHANNEL, ts(root), ANN, "now add a test");

    awaitPosts("Fixed: now add a test");
    assertThat(thread(root)).hasSize(2);
    assertThat(text(thread(root).get(1))).contains("https://github.com/acme/shop/pull/2");
    assertThat(roots()).hasSize(1);
  }

  @Test
  void cancelInTheThreadLeavesNoProcessBehind() {
    slack.command(CHANNEL, ANN, "/agent", "wait for me");
    await().atMost(PATIENCE).until(() -> runnel.agents().size() >= 2);
    await().atMost(PATIENCE).until(() -> !roots().isEmpty() && text(root()).contains("Running"));

    slack.reply(CHANNEL, ts(root()), ANN, "cancel");

    await().atMost(PATIENCE).until(() -> runnel.agents().isEmpty());
    await().atMost(PATIENCE).until(() -> thread(root()).size() == 1);
    assertThat(text(thread(root()).get(0))).contains("Stopped");
  }

  @Test
  void aMentionStartsARunInItsOwnThreadOnce() {
    var ts = slack.message(CHANNEL, ANN, "<@" + BOT + "> fix it");

    awaitPosts("Fixed: fix it");
    assertThat(
            slack.messages(CHANNEL).stream()
                .filter(each -> each.path("thread_ts").asText().equals(ts))
                .filter(each -> !each.path("ts").asText().equals(ts)))
        .hasSize(2);
  }

  @Test
  void killDuringARunIsReportedOnceAndTheThreadContinues() throws Exception {
    slack.command(CHANNEL, ANN, "/agent", "be slow");
    await().atMost(PATIENCE).until(() -> !roots().isEmpty() && text(root()).contains("Running"));
    await().atMost(PATIENCE).until(runnel::hasAgent);

    runnel.kill();
    runnel.restart();

    await().atMost(PATIENCE).until(() -> thread(root()).size() == 1);
    assertThat(text(thread(root()).get(0))).contains("restarted");
    assertThat(runnel.agents()).isEmpty();

    slack.reply(CHANNEL, ts(root()), ANN, "go on");
    awaitPosts("Fixed: go on");
    assertThat(text(thread(root()).getLast())).contains("pull/2");
    assertThat(thread(root())).hasSize(2);
    assertThat(roots()).hasSize(1);
  }

  @Test
  void messageSentDuringADowntimeIsProcessedAfterTheRestart() throws Exception {
    slack.command(CHANNEL, ANN, "/agent", "fix it");
    awaitPosts("Fixed: fix it");

    runnel.kill();
    slack.reply(CHANNEL, ts(root()), ANN, "now add a test");
    runnel.restart();

    awaitPosts("Fixed: now add a test");
    assertThat(thread(root())).hasSize(2);
    assertThat(roots()).hasSize(1);
  }

  @Test
  void unsignedOrMalformedRequestIsRefusedAndNotStored() throws Exception {
    var now = Instant.now().getEpochSecond();
    var form = "command=%2Fagent&text=fix+it&trigger_id=1&team_id=T&channel_id=C&user_id=U";

    assertThat(send(form, now, "v0=" + "0".repeat(64))).isEqualTo(overHttp(401));
    assertThat(send(form, now - 600, signature(form, now - 600))).isEqualTo(overHttp(401));
    assertThat(send(form, now + 600, signature(form, now + 600))).isEqualTo(overHttp(401));
    assertThat(send("{garbage", now, signature("{garbage", now))).isEqualTo(overHttp(400));
    assertThat(send("x".repeat(6_000_000), now, "v0=00")).isEqualTo(413);

    // One workspace, by a bot token: there is nothing to install.
    assertThat(runnel.get("/slack/install").statusCode()).isEqualTo(404);
    assertThat(runnel.get("/slack/oauth_redirect?code=1").statusCode()).isEqualTo(404);

    assertThat(runnel.metric("runnel_inbox_waiting")).isZero();
    assertThat(runnel.metric("runnel_runs_active")).isZero();
    assertThat(slack.messages(CHANNEL)).isEmpty();
  }

  @Test
  void serverStaysAliveWithoutSlackButItsSocketIsNotReady() throws Exception {
    slack.close();

    if (transport == LocalSlack.Transport.SOCKET) {
      await().atMost(PATIENCE).until(() -> runnel.get("/readyz").statusCode() == 503);
      assertThat(runnel.get("/readyz").body())
          .startsWith("Slack's socket is not connected (since ");
    } else {
      assertThat(runnel.get("/readyz").statusCode()).isEqualTo(200);
    }
    assertThat(runnel.get("/healthz").statusCode()).isEqualTo(200);
  }

  /// Who talks over a socket only is not found over HTTP.
  private int overHttp(int status) {
    return transport == LocalSlack.Transport.HTTP ? status : 404;
  }

  private int send(String body, long timestamp, String signature) throws Exception {
    return runnel
        .send(
            HttpRequest.newBuilder(URI.create(runnel.url() + "/slack/events"))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("X-Slack-Request-Timestamp", Long.toString(timestamp))
                .header("X-Slack-Signature", signature)
                .POST(BodyPublishers.ofString(body)))
        .statusCode();
  }

  private static String signature(String body, long timestamp) {
    return "v0="
        + Hmac.hex(
            LocalSlack.SIGNING_SECRET,
            ("v0:" + timestamp + ":" + body).getBytes(StandardCharsets.UTF_8));
  }

  private void awaitPosts(String text) {
    await(text)
        .atMost(PATIENCE)
        .until(
            () ->
                slack.messages(CHANNEL).stream()
                    .filter(SlackStoryTest::isOurs)
                    .filter(each -> !each.path("thread_ts").isMissingNode())
                    .anyMatch(each -> text(each).contains(text)));
  }

  private JsonNode root() {
    return roots().getFirst();
  }

  /// Our messages in the channel itself.
  private List<JsonNode> roots() {
    return slack.messages(CHANNEL).stream()
        .filter(SlackStoryTest::isOurs)
        .filter(
            each ->
                each.path("thread_ts").isMissingNode()
                    || each.path("thread_ts").asText().isEmpty()
                    || each.path("thread_ts").asText().equals(ts(each)))
        .toList();
  }

  /// Our messages in the thread, oldest first.
  private List<JsonNode> thread(JsonNode root) {
    return slack.messages(CHANNEL).stream()
        .filter(SlackStoryTest::isOurs)
        .filter(each -> each.path("thread_ts").asText().equals(ts(root)))
        .filter(each -> !ts(each).equals(ts(root)))
        .toList();
  }

  private static boolean isOurs(JsonNode message) {
    return message.path("user").asText().equals(BOT) && !message.hasNonNull("ephemeral_to");
  }

  private static String ts(JsonNode message) {
    return message.path("ts").asText();
  }

  private static String text(JsonNode message) {
    return message.path("text").asText() + "\n" + message.path("blocks");
  }
}
