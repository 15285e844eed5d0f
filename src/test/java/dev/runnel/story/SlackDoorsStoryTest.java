package dev.runnel.story;

import static dev.runnel.testkit.LocalSlack.ANN;
import static dev.runnel.testkit.LocalSlack.BOB;
import static dev.runnel.testkit.LocalSlack.BOT;
import static dev.runnel.testkit.LocalSlack.CHANNEL;
import static dev.runnel.testkit.LocalSlackScreens.chosen;
import static dev.runnel.testkit.LocalSlackScreens.typed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runnel.testkit.LocalSlack;
import dev.runnel.testkit.LocalSlackScreens;
import dev.runnel.testkit.RunnelProcess;
import dev.runnel.testkit.SignedSlack;
import dev.runnel.testkit.SlackSocketInFrontOf;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// Home, forms and shortcuts, with a Slack emulator, on both ways from Slack to us. The emulator
/// has no shortcuts: those are sent as Slack sends them, with a trigger of the emulator's.
@Tag("slow")
@ParameterizedClass
@EnumSource(LocalSlack.Transport.class)
class SlackDoorsStoryTest {
  private static final String AGENT =
      """
      prompt=$(cat)
      case "$prompt" in
        "wait for me"*) sleep 600 & wait ;;
      esac
      first=$(echo "$prompt" | head -n 1)
      quoted=$(echo "$prompt" | grep -c '^> the checkout test fails')
      echo "Done: $first, $quoted quoted"
      """;

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Pattern TRIGGER = Pattern.compile("trigger_id%22%3A%22([\\w.]+)%22");
  private static final ObjectMapper JSON = new ObjectMapper();

  private final LocalSlack.Transport transport;
  @TempDir Path folder;
  private LocalSlack slack;
  private LocalSlackScreens screens;
  private @Nullable SlackSocketInFrontOf socket;
  private RunnelProcess runnel;

  SlackDoorsStoryTest(LocalSlack.Transport transport) {
    this.transport = transport;
  }

  @BeforeEach
  void open() throws Exception {
    var port = RunnelProcess.freePort();
    slack = LocalSlack.start(transport, URI.create("http://127.0.0.1:" + port + "/slack/events"));
    screens = new LocalSlackScreens(slack);
    var agent = Files.writeString(folder.resolve("agent.sh"), AGENT);
    var settings = new HashMap<>(slack.settings());
    settings.put("RUNNEL_AGENT_COMMAND", "sh '" + agent + "'");
    settings.put("SLACK_START_REACTION", "robot_face");
    if (transport == LocalSlack.Transport.SOCKET) {
      var between = new SlackSocketInFrontOf(slack.uri());
      settings.put("SLACK_API_URL", between.apiUrl().toString());
      socket = between;
    }
    runnel = RunnelProcess.start(folder, port, settings);
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
    if (screens != null) {
      screens.close();
    }
    if (slack != null) {
      slack.close();
    }
  }

  @Test
  void homeTabCanStartShowAndStopARun() {
    screens.openHome(ANN);
    awaitHome("You have no runs yet.");

    press("home_new_run");
    awaitForm("ask");
    screens.submit(ANN, Map.of("prompt", typed("  "), "channel", chosen(CHANNEL)));
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(screens.errors().toString())
                    .contains("Describe what the agent should do."));
    screens.submit(ANN, Map.of("prompt", typed("wait for me"), "channel", chosen(CHANNEL)));

    awaitPosted("Running");
    assertThat(screens.form()).isEmpty();
    assertThat(ours().getFirst().path("text").asText()).contains(ANN, "wait for me");
    screens.openHome(ANN);
    awaitHome("⚙️ Running");
    assertThat(home()).contains("wait for me", "Thread", "home_cancel_run");

    press("home_cancel_run");

    awaitPosted("Stopped");
    await().atMost(PATIENCE).until(() -> runnel.agents().isEmpty());
    screens.openHome(ANN);
    awaitHome("🚫 Stopped");
    assertThat(home()).doesNotContain("home_cancel_run");

    // What is hers is not Bob's.
    screens.openHome(BOB);
    await()
        .atMost(PATIENCE)
        .until(() -> screens.home(BOB).filter(it -> has(it, "You have no runs yet.")).isPresent());
  }

  @Test
  void defaultsAreChangedInAFormAndShownWithWhereTheyComeFrom() {
    slack.command(CHANNEL, ANN, "/agent", "config");
    await().atMost(PATIENCE).until(() -> !privately().isEmpty());
    var answer = privately().getLast();
    assertThat(answer.path("blocks").toString()).contains("Change mine", "Change for all here");

    slack.press(CHANNEL, answer.path("ts").asText(), ANN, "edit_me");
    awaitForm("defaults");
    screens.submit(ANN, Map.of("model", typed("fast")));

    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(privately().getLast().path("text").asText())
                    .contains("*Model:* fast", "set for you"));

    screens.openHome(ANN);
    awaitHome("model *fast* (set for you)");
    press("home_new_run");
    awaitForm("ask");
    assertThat(screens.form().orElseThrow().toString())
        .contains("\"initial_value\":\"fast\"", "Set for you.");
  }

  @Test
  void messageShortcutStartsARunAndThenSendsItFollowUps() throws Exception {
    var message = slack.message(CHANNEL, BOB, "the checkout test fails");

    shortcut(message, "the checkout test fails");
    awaitForm("ask");
    assertThat(screens.form().orElseThrow().toString()).contains("> the checkout test fails");
    screens.submit(ANN, Map.of("prompt", typed("find out why")));

    awaitPosted("Done: find out why, 1 quoted");
    var posts = ours();
    assertThat(posts).allMatch(it -> it.path("thread_ts").asText().equals(message));
    assertThat(posts.getFirst().path("text").asText())
        .isEqualTo("<@" + ANN + "> asked: find out why");

    shortcut(message, "the checkout test fails");
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                screens
                    .form()
                    .filter(it -> has(it, "This thread has a run. Your message goes to it."))
                    .isPresent());
    screens.submit(ANN, Map.of("prompt", typed("now fix it")));

    awaitPosted("Done: now fix it, 1 quoted");
    assertThat(ours().stream().filter(it -> it.toString().contains("for <@" + ANN + ">")).toList())
        .as("one status message and two ends")
        .hasSize(3);
  }

  @Test
  void repeatedReactionsStartOneRunAboutTheirMessage() {
    var message = slack.message(CHANNEL, BOB, "the checkout test fails");

    slack.react(CHANNEL, message, ANN, "eyes");
    slack.react(CHANNEL, message, ANN, "robot_face");

    awaitPosted("Done: ");
    slack.react(CHANNEL, message, BOB, "robot_face");
    slack.command(CHANNEL, ANN, "/agent", "list here");
    await().atMost(PATIENCE).until(() -> !privately().isEmpty());
    assertThat(ours()).as("the request, one card and one end").hasSize(3);
    assertThat(ours()).allMatch(it -> it.path("thread_ts").asText().equals(message));
    assertThat(ours().getFirst().toString()).contains("<@" + ANN + ">");
  }

  /// Somebody chooses the shortcut in a message's menu.
  private void shortcut(String ts, String text) throws Exception {
    var payload = JSON.createObjectNode();
    payload
        .put("type", "message_action")
        .put("callback_id", "ask_about_message")
        .put("trigger_id", trigger())
        .put("message_ts", ts);
    payload.putObject("team").put("id", LocalSlack.TEAM);
    payload.putObject("user").put("id", ANN).put("username", "ann");
    payload.putObject("channel").put("id", CHANNEL);
    payload.putObject("message").put("type", "message").put("ts", ts).put("text", text);
    var overSocket = socket;
    if (overSocket != null) {
      overSocket.says(SignedSlack.interaction(payload.toString()));
      return;
    }
    var answer =
        runnel.send(
            HttpRequest.newBuilder(
                new SignedSlack(LocalSlack.SIGNING_SECRET)
                    .interaction(URI.create(runnel.url()), payload.toString()),
                (_, _) -> true));
    assertThat(answer.statusCode()).isEqualTo(200);
  }

  /// A trigger that the emulator knows: that of a press of no meaning.
  private String trigger() {
    var before = triggers();
    screens.pressOnHome(ANN, JSON.createObjectNode().put("action_id", "open_session"));
    await("a trigger").atMost(PATIENCE).until(() -> triggers().size() > before.size());
    return triggers().getLast();
  }

  private List<String> triggers() {
    var overSocket = socket;
    if (overSocket != null) {
      return List.copyOf(overSocket.triggers());
    }
    return slack.log().stream()
        .flatMap(it -> TRIGGER.matcher(it.path("detail").toString()).results())
        .map(it -> it.group(1))
        .distinct()
        .toList();
  }

  private void press(String action) {
    var button =
        screens.home(ANN).orElseThrow().findParents("action_id").stream()
            .filter(it -> it.path("action_id").asText().equals(action))
            .findFirst()
            .orElseThrow();
    screens.pressOnHome(ANN, button);
  }

  private void awaitHome(String words) {
    await(words)
        .atMost(PATIENCE)
        .until(() -> screens.home(ANN).filter(it -> has(it, words)).isPresent());
  }

  private String home() {
    return screens.home(ANN).orElseThrow().toString();
  }

  private void awaitForm(String callback) {
    await(callback)
        .atMost(PATIENCE)
        .until(
            () ->
                screens
                    .form()
                    .filter(it -> it.path("callback_id").asText().equals(callback))
                    .isPresent());
  }

  private static boolean has(JsonNode view, String words) {
    return view.toString().contains(words);
  }

  private List<JsonNode> privately() {
    return slack.messages(CHANNEL).stream()
        .filter(each -> each.path("ephemeral_to").asText().equals(ANN))
        .toList();
  }

  private void awaitPosted(String text) {
    await(text)
        .atMost(PATIENCE)
        .until(() -> ours().stream().anyMatch(each -> each.toString().contains(text)));
  }

  private List<JsonNode> ours() {
    return slack.messages(CHANNEL).stream()
        .filter(each -> each.path("user").asText().equals(BOT))
        .filter(each -> !each.hasNonNull("ephemeral_to"))
        .toList();
  }
}
