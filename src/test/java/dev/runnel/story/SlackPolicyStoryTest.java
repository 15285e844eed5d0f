package dev.runnel.story;

import static dev.runnel.testkit.LocalSlack.ANN;
import static dev.runnel.testkit.LocalSlack.BOB;
import static dev.runnel.testkit.LocalSlack.BOT;
import static dev.runnel.testkit.LocalSlack.CHANNEL;
import static dev.runnel.testkit.LocalSlack.TEAM;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.testkit.LocalSlack;
import dev.runnel.testkit.RunnelProcess;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Optional;
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

    JsonNode awaitPosted(String text) {
      return await(text)
          .atMost(PATIENCE)
          .until(
              () ->
                  slack.messages(CHANNEL).stream()
                      .filter(each -> each.path("user").asText().equals(BOT))
                      .filter(each -> !each.hasNonNull("ephemeral_to"))
                      .filter(each -> text(each).contains(text))
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
  void aStartWaitsUntilSomebodyElseApprovesItByTheButton() throws Exception {
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
      var card = stage.awaitPosted("This start waits for an approval");
      assertThat(text(card)).contains("deploy it");

      stage.slack().press(CHANNEL, ts(card), ANN, "command_0");
      stage.awaitPrivately(ANN, "somebody else has to approve it");
      stage.runnel().stop();
      stage.runnel().restart();
      stage.slack().press(CHANNEL, ts(card), BOB, "command_0");

      stage.awaitPosted("The run starts.");
      stage.awaitPosted("Done: deploy it");
    }
  }

  @Test
  void whomNoRulePermitsIsToldPrivatelyAndNothingStarts() throws Exception {
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
      stage.awaitPrivately(BOB, "You may not start runs here. These may: starters.");

      stage.asks(ANN, "deploy it");
      stage.awaitPosted("Done: deploy it");
      stage.asks(ANN, "deploy it again");
      stage.awaitPrivately(ANN, "a budget is used up");
    }
  }

  private static String text(JsonNode message) {
    return message.path("text").asText();
  }

  private static String ts(JsonNode message) {
    return message.path("ts").asText();
  }
}
