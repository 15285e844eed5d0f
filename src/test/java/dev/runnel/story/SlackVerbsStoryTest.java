package dev.runnel.story;

import static dev.runnel.testkit.LocalSlack.ANN;
import static dev.runnel.testkit.LocalSlack.BOT;
import static dev.runnel.testkit.LocalSlack.CHANNEL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.testkit.LocalSlack;
import dev.runnel.testkit.RunnelProcess;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Each verb once, typed into a Slack emulator, and what only the person who asks reads.
@Tag("slow")
class SlackVerbsStoryTest {
  private static final String AGENT =
      """
      prompt=$(cat)
      case "$prompt" in
        "wait for me"*) sleep 600 & wait ;;
      esac
      echo "Done: $(echo "$prompt" | head -n 1)"
      """;

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Pattern RUN = Pattern.compile("`([0-9a-f]{8})`");

  @TempDir Path folder;
  private LocalSlack slack;
  private RunnelProcess runnel;

  @BeforeEach
  void open() throws Exception {
    var port = RunnelProcess.freePort();
    slack = LocalSlack.start(URI.create("http://127.0.0.1:" + port + "/slack/events"));
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
  void everyVerbIsAnsweredPrivately() {
    var said = slack.message(CHANNEL, ANN, "<@" + BOT + "> wait for me");
    awaitPosted("Running");

    assertThat(asks("whoami")).contains("slack:" + ANN);
    assertThat(asks("doctor")).contains("Database", "Slack", "1 run, checked");
    assertThat(asks("config set model fast")).contains("*Model:* fast").contains("set for you");
    assertThat(asks("config")).contains("*Environment (env):* not set");
    assertThat(asks("explain: fix it"))
        .contains("Nothing was started", "*Prompt:* fix it", "*Model:* fast", "run: fix it");
    assertThat(asks("usage")).contains("*You, last 7 days:* 1 run");
    assertThat(asks("help say")).contains("say RUN TEXT").contains("Everybody");
    assertThat(asks("why " + permalink(said)))
        .contains("*Read as:* a request to the agent", "to start a run");
    assertThat(asks("satus")).contains("Did you mean `status`?");

    var listed = asks("list mine");
    assertThat(listed).contains("Running", "wait for me");
    var run = id(listed);
    assertThat(asks("status " + run)).contains("Running for");
    assertThat(asks("status " + permalink(said))).contains(run);
    assertThat(asks("retry " + run)).contains("has not ended yet");

    slack.reply(CHANNEL, said, ANN, "new: the second task");
    awaitPosted("Done: the second task");
    assertThat(asks("list all done")).contains("the second task").doesNotContain("wait for me");
    assertThat(asks("say " + id(asks("list mine done")) + " and the third")).contains("Passed on");
    awaitPosted("Done: and the third");

    assertThat(asks("cancel all mine")).contains("Stopping your run");
    awaitPosted("Stopped");
    await().atMost(PATIENCE).until(() -> runnel.agents().isEmpty());
    assertThat(asks("list active")).contains("There are no such runs.");
    assertThat(asks("link " + run)).contains("This run already has a thread");
  }

  /// Types the command, and waits for the next private answer.
  private String asks(String text) {
    var before = privately().size();
    slack.command(CHANNEL, ANN, "/agent", text);
    await(text).atMost(PATIENCE).until(() -> privately().size() > before);
    return text(privately().getLast());
  }

  private List<JsonNode> privately() {
    return slack.messages(CHANNEL).stream()
        .filter(each -> each.path("ephemeral_to").asText().equals(ANN))
        .toList();
  }

  private void awaitPosted(String text) {
    await(text)
        .atMost(PATIENCE)
        .until(
            () ->
                slack.messages(CHANNEL).stream()
                    .filter(each -> each.path("user").asText().equals(BOT))
                    .filter(each -> !each.hasNonNull("ephemeral_to"))
                    .anyMatch(each -> text(each).contains(text)));
  }

  private static String permalink(String ts) {
    return "https://acme.slack.com/archives/" + CHANNEL + "/p" + ts.replace(".", "");
  }

  private static String id(String listed) {
    var run = RUN.matcher(listed);
    assertThat(run.find()).as("a run's id in %s", listed).isTrue();
    return run.group(1);
  }

  private static String text(JsonNode message) {
    return message.path("text").asText();
  }
}
