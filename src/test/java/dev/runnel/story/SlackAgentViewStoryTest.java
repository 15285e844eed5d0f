package dev.runnel.story;

import static dev.runnel.testkit.LocalSlack.ANN;
import static dev.runnel.testkit.LocalSlack.BOT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.testkit.LocalSlack;
import dev.runnel.testkit.RunnelProcess;
import dev.runnel.testkit.SignedSlack;
import dev.runnel.testkit.SlackAgentsInFrontOf;
import dev.runnel.testkit.SlackSocketInFrontOf;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// A direct thread in Slack's agent view, with a real agent command, a Slack emulator, and a double
/// in front of it for what the emulator does not know.
@Tag("slow")
@ParameterizedClass
@EnumSource(LocalSlack.Transport.class)
class SlackAgentViewStoryTest {
  private static final String AGENT =
      """
      prompt=$(cat)
      echo "::status Looking at the test"
      case "$prompt" in
        *wait*) sleep 600 & wait ;;
        *slow*) sleep 4; echo "::status Running the test"; sleep 4 ;;
      esac
      echo "Fixed: $prompt"
      """;

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final LocalSlack.Transport transport;
  @TempDir Path folder;
  private LocalSlack slack;
  private SlackAgentsInFrontOf agents;
  private @Nullable SlackSocketInFrontOf socket;
  private RunnelProcess runnel;
  private String direct;

  SlackAgentViewStoryTest(LocalSlack.Transport transport) {
    this.transport = transport;
  }

  @BeforeEach
  void open() throws Exception {
    var port = RunnelProcess.freePort();
    slack = LocalSlack.start(transport, URI.create("http://127.0.0.1:" + port + "/slack/events"));
    agents = new SlackAgentsInFrontOf(slack.uri());
    var agent = Files.writeString(folder.resolve("agent.sh"), AGENT);
    var settings = new HashMap<>(slack.settings());
    settings.put("SLACK_API_URL", agents.apiUrl().toString());
    if (transport == LocalSlack.Transport.SOCKET) {
      var between = new SlackSocketInFrontOf(agents.apiUrl().resolve("/"));
      settings.put("SLACK_API_URL", between.apiUrl().toString());
      socket = between;
    }
    settings.put("RUNNEL_AGENT_COMMAND", "sh '" + agent + "'");
    runnel = RunnelProcess.start(folder, port, settings);
    direct = slack.directChannel(ANN);
  }

  @AfterEach
  void close() {
    // None is there when the emulator is not installed and the test is skipped.
    if (runnel != null) {
      runnel.close();
    }
    if (socket != null) {
      socket.close();
    }
    if (agents != null) {
      agents.close();
    }
    if (slack != null) {
      slack.close();
    }
  }

  @Test
  void theStepsAreStreamedAndAtTheEndThePostIsAStatusPost() {
    var thread = slack.message(direct, ANN, "be slow");

    await().atMost(PATIENCE).until(() -> !agents.cards().isEmpty());
    assertThat(agents.session(thread)).contains("processing");
    await().atMost(PATIENCE).until(() -> posts(thread).size() == 2);

    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(agents.session(thread)).contains("active"));
    assertThat(agents.cards())
        .contains("complete Looking at the test", "in_progress Running the test");
    assertThat(agents.streams()).isEqualTo(1);
    assertThat(agents.openStreams()).isZero();
    assertThat(text(posts(thread).get(0))).contains("Finished").doesNotContain("that grows");
    assertThat(text(posts(thread).get(1))).contains("Fixed: be slow");
  }

  @Test
  void slackStopButtonStopsTheRunAndPostsWhoStoppedIt() throws Exception {
    var thread = slack.message(direct, ANN, "wait for me");
    await().atMost(PATIENCE).until(() -> runnel.agents().size() >= 2);
    await().atMost(PATIENCE).until(() -> agents.openStreams() == 1);

    agents.closesStreams();
    press(thread);

    await().atMost(PATIENCE).until(() -> runnel.agents().isEmpty());
    await().atMost(PATIENCE).until(() -> posts(thread).size() == 2);
    assertThat(text(posts(thread).get(1))).contains("Stopped by <@" + ANN + ">");
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(agents.session(thread)).contains("active"));
    assertThat(text(posts(thread).get(0))).contains("Stopped");
  }

  @Test
  void slackStopButtonWithoutARunReportsNothingToStop() throws Exception {
    var thread = slack.message(direct, ANN, "fix it");
    await().atMost(PATIENCE).until(() -> posts(thread).size() == 2);

    press(thread);

    await().atMost(PATIENCE).until(() -> posts(thread).size() == 3);
    assertThat(text(posts(thread).getLast())).contains("Nothing to stop: ✅ Finished.");
  }

  @Test
  void crashAfterTheStartOfAStreamCausesNoDuplicate() throws Exception {
    agents.losesTheNextStart(
        () -> {
          try {
            runnel.kill();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    var thread = slack.message(direct, ANN, "be slow");
    await().atMost(PATIENCE).until(() -> agents.streams() == 1);

    runnel.restart();

    await().atMost(PATIENCE).until(() -> agents.openStreams() == 0);
    await().atMost(PATIENCE).until(() -> posts(thread).size() == 2);
    assertThat(agents.streams()).isEqualTo(1);
    assertThat(text(posts(thread).get(0))).doesNotContain("that grows");
    assertThat(agents.calls("chat.startStream")).hasSize(1);
  }

  private void press(String thread) throws Exception {
    var overSocket = socket;
    if (overSocket != null) {
      overSocket.says(SignedSlack.stopped(direct, thread, ANN));
      return;
    }
    try (var http = HttpClient.newHttpClient()) {
      var answer =
          http.send(
              new SignedSlack(LocalSlack.SIGNING_SECRET)
                  .stopped(URI.create(runnel.url()), direct, thread, ANN),
              BodyHandlers.discarding());
      assertThat(answer.statusCode()).isEqualTo(200);
    }
  }

  /// Our messages in the thread, oldest first.
  private List<JsonNode> posts(String thread) {
    return slack.messages(direct).stream()
        .filter(each -> each.path("user").asText().equals(BOT))
        .filter(each -> each.path("thread_ts").asText().equals(thread))
        .toList();
  }

  private static String text(JsonNode message) {
    return message.path("text").asText() + "\n" + message.path("blocks");
  }
}
