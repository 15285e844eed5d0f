package dev.runnel.story;

import static dev.runnel.testkit.LocalSlack.ANN;
import static dev.runnel.testkit.LocalSlack.BOB;
import static dev.runnel.testkit.LocalSlack.BOT;
import static dev.runnel.testkit.LocalSlack.CHANNEL;
import static dev.runnel.testkit.LocalSlack.TEAM;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.surface.kit.Hmac;
import dev.runnel.testkit.LocalSlack;
import dev.runnel.testkit.RunnelProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A policy, from the settings file to what people see in a Slack emulator.
@Tag("slow")
class SlackPolicyStoryTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path folder;

  private record Stage(LocalSlack slack, RunnelProcess runnel) implements AutoCloseable {
    static Stage open(Path folder, String policy) throws IOException {
      var port = RunnelProcess.freePort();
      var slack = LocalSlack.start(URI.create("http://127.0.0.1:" + port + "/slack/events"));
      var settings = new HashMap<>(slack.settings());
      settings.put("RUNNEL_AGENT_COMMAND", "echo \"Done: $(head -n 1)\"");
      settings.put(
          "RUNNEL_CONFIG", Files.writeString(folder.resolve("runnel.yaml"), policy).toString());
      return new Stage(slack, RunnelProcess.start(folder, port, settings));
    }

    void asks(String user, String text) {
      slack.command(CHANNEL, user, "/agent", text);
    }

    /// A workflow executes our step. The emulator has no workflows.
    void executes(String execution, String channel, String request) throws Exception {
      var body =
          """
          {"type":"event_callback","team_id":"%s","event_id":"Ev%s","event":{"type":"function_executed",\
          "function":{"callback_id":"start_run"},"function_execution_id":"%s",\
          "inputs":{"channel":"%s","request":"%s"}}}\
          """
              .formatted(TEAM, execution, execution, channel, request)
              .getBytes(StandardCharsets.UTF_8);
      var now = Long.toString(Instant.now().getEpochSecond());
      var signed =
          Hmac.hex(
              LocalSlack.SIGNING_SECRET,
              ("v0:" + now + ":").getBytes(StandardCharsets.UTF_8),
              body);
      assertThat(
              runnel
                  .send(
                      HttpRequest.newBuilder(URI.create(runnel.url() + "/slack/events"))
                          .header("X-Slack-Request-Timestamp", now)
                          .header("X-Slack-Signature", "v0=" + signed)
                          .header("Content-Type", "application/json")
                          .POST(HttpRequest.BodyPublishers.ofByteArray(body)))
                  .statusCode())
          .isEqualTo(200);
    }

    /// What a step was told at its end.
    JsonNode awaitEnded(String method, String execution) {
      return await(method)
          .atMost(PATIENCE)
          .until(
              () ->
                  slack.log().stream()
                      .filter(each -> each.path("summary").asText().contains(method))
                      .map(each -> each.path("detail"))
                      .filter(each -> each.toString().contains(execution))
                      .findFirst(),
              Optional::isPresent)
          .orElseThrow();
    }

    /// Presses a button of the card that asks for an approval of the request.
    void decides(String user, String request, String button) {
      slack.press(CHANNEL, ts(awaitPosted("waits for approval", request)), user, button);
    }

    JsonNode awaitPosted(String... texts) {
      return await(String.join(", ", texts))
          .atMost(PATIENCE)
          .until(
              () ->
                  slack.messages(CHANNEL).stream()
                      .filter(each -> each.path("user").asText().equals(BOT))
                      .filter(each -> !each.hasNonNull("ephemeral_to"))
                      .filter(each -> Stream.of(texts).allMatch(text(each)::contains))
                      .findFirst(),
              Optional::isPresent)
          .orElseThrow();
    }

    void awaitPrivately(String user, String text) {
      await(text)
          .atMost(PATIENCE)
          .until(
              () ->
                  slack.messages(CHANNEL).stream()
                      .filter(each -> each.path("ephemeral_to").asText().equals(user))
                      .anyMatch(each -> text(each).contains(text)));
    }

    @Override
    public void close() {
      runnel.close();
      slack.close();
    }
  }

  @Test
  void startWaitsForTheApprovalOfAnotherPerson() throws Exception {
    try (var stage =
        Stage.open(
            folder,
            """
            policy:
              groups: {approvers: [slack:%s, slack:%s]}
              rules:
                - {who: slack:members, where: "slack:%s/*", may: [start, say, stop, read]}
              approve:
                - {by: approvers, not: requester, within: 10m}
            """
                .formatted(ANN, BOB, TEAM))) {
      stage.asks(ANN, "deploy it");
      var card = stage.awaitPosted("This start waits for approval");
      assertThat(text(card)).contains("deploy it");

      stage.slack().press(CHANNEL, ts(card), ANN, "command_0");
      stage.awaitPrivately(ANN, "somebody else must approve it");
      stage.runnel().stop();
      stage.runnel().restart();
      stage.slack().press(CHANNEL, ts(card), BOB, "command_0");

      stage.awaitPosted("The run starts.");
      stage.awaitPosted("Done: deploy it");
    }
  }

  @Test
  void refusalByARuleOrABudgetIsPostedPrivately() throws Exception {
    try (var stage =
        Stage.open(
            folder,
            """
            policy:
              groups: {starters: [slack:%s]}
              rules:
                - {who: starters, where: any, may: [start, read]}
              budgets:
                - {per: person, in: day, runs: 1}
            """
                .formatted(ANN))) {
      stage.asks(BOB, "deploy it");
      stage.awaitPrivately(BOB, "You may not start runs here. These may: the group `starters`.");

      stage.asks(ANN, "deploy it");
      stage.awaitPosted("Done: deploy it");
      stage.asks(ANN, "deploy it again");
      stage.awaitPrivately(ANN, "a budget is used up");
    }
  }

  @Test
  void permittedWorkflowStartsARunAndGetsItsAnswer() throws Exception {
    try (var stage =
        Stage.open(
            folder,
            """
            policy:
              groups: {approvers: [slack:%s]}
              rules:
                - {who: "slack:workflow", where: "slack:%s/%s", may: [start]}
                - {who: slack:members, where: any, may: all}
              approve:
                - {by: approvers, within: 10m}
            """
                .formatted(BOB, TEAM, CHANNEL))) {
      stage.executes("Fx1", "C0OTHER", "deploy it");
      assertThat(stage.awaitEnded("functions.completeError", "Fx1").toString())
          .contains("You may not start runs here");

      stage.executes("Fx2", CHANNEL, "tidy up");
      stage.decides(BOB, "tidy up", "command_1");
      assertThat(stage.awaitEnded("functions.completeError", "Fx2").toString())
          .contains("No run was started");

      stage.executes("Fx3", CHANNEL, "write it");
      stage.awaitPosted("A workflow asked: write it");
      stage.decides(BOB, "write it", "command_0");
      assertThat(stage.awaitEnded("functions.completeSuccess", "Fx3").toString())
          .contains("succeeded", "Done: write it", "/archives/" + CHANNEL + "/p");
    }
  }

  private static String text(JsonNode message) {
    return message.path("text").asText();
  }

  private static String ts(JsonNode message) {
    return message.path("ts").asText();
  }
}
