package dev.runnel.story;

import static dev.runnel.testkit.LocalSlack.ANN;
import static dev.runnel.testkit.LocalSlack.BOB;
import static dev.runnel.testkit.LocalSlack.BOT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.testkit.LocalSlack;
import dev.runnel.testkit.RunnelProcess;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.AssertionFailedError;

/// All that people do with a run in Slack, each once on both ways from Slack to us: one Slack and
/// one Runnel for all flows of a way, and a channel for each flow.
@Tag("slow")
class SlackFlowsStoryTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Pattern RUN = Pattern.compile("`([0-9a-f]{8})`");
  private static final String STOP_SIGN = "octagonal_sign";

  /// Tells what it was told; "hold NAME" works until the file NAME is there. A prompt begins with
  /// what was asked for.
  private static final String AGENT =
      """
      prompt=$(cat)
      case "$prompt" in
        "hold "*) name=$(echo "$prompt" | sed -n 's/.*hold \\([a-z]*\\).*/\\1/p' | head -n 1)
                while [ ! -e "$HOME/$name" ]; do sleep 0.1; done ;;
        "ask me"*) if [ "$RUNNEL_EXECUTION" = 1 ]; then
                            echo "::blocked Blue or green?"
                            exit 0
                          fi ;;
        "pick a colour"*) if [ "$RUNNEL_EXECUTION" = 1 ]; then
                            echo "::blocked Which colour?"
                            echo "::option Blue"
                            echo "::option Green"
                            exit 0
                          fi ;;
        "break it"*) [ -e "$HOME/mended" ] || exit 1 ;;
        *"Do not change anything yet"*) echo "1. look 2. paint"; exit 0 ;;
        "show me"*) printf 'It works' > "$RUNNEL_ARTIFACTS/report.md"
                    printf '\\211PNG' > "$RUNNEL_ARTIFACTS/shot.png"
                    printf 'xoxb-%s' 1234567890-abcdefghij > "$RUNNEL_ARTIFACTS/env.txt" ;;
        "tell it at length"*) i=0
                       while [ $i -lt 1500 ]; do
                         i=$((i+1))
                         echo "- Finding $i: module $i uses the old client"
                       done
                       exit 0 ;;
      esac
      echo "Told: $(echo "$prompt" | tr '\\n' '/')"
      """;

  @Nested
  class OverHttp extends Flows {
    OverHttp() {
      super(LocalSlack.Transport.HTTP);
    }
  }

  @Nested
  class OverASocket extends Flows {
    OverASocket() {
      super(LocalSlack.Transport.SOCKET);
    }
  }

  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  abstract static class Flows {
    private final LocalSlack.Transport transport;
    private Path folder;
    private LocalSlack slack;
    private RunnelProcess runnel;

    Flows(LocalSlack.Transport transport) {
      this.transport = transport;
    }

    @BeforeAll
    void open(@TempDir Path folder) throws Exception {
      this.folder = folder;
      var port = RunnelProcess.freePort();
      slack =
          LocalSlack.start(
              transport,
              URI.create("http://127.0.0.1:" + port + "/slack/events"),
              List.of(
                  "C0COMMAND",
                  "C0MENTION",
                  "C0FOLLOW",
                  "C0EDIT",
                  "C0DELETE",
                  "C0SIGN",
                  "C0WORD",
                  "C0VERB",
                  "C0BUTTON",
                  "C0BLOCKED",
                  "C0CHOICE",
                  "C0WAITS",
                  "C0LONG",
                  "C0FILE",
                  "C0PLAN",
                  "C0QUICK",
                  "C0NEW",
                  "C0RETRY",
                  "C0SECRET",
                  "C0LOG"));
      var agent = Files.writeString(folder.resolve("agent.sh"), AGENT);
      var settings = new HashMap<>(slack.settings());
      settings.put("RUNNEL_AGENT_COMMAND", "sh '" + agent + "'");
      runnel = RunnelProcess.start(folder, port, settings);
    }

    @AfterAll
    void close() {
      // Neither is there when the emulator is not installed and the tests are skipped.
      if (runnel != null) {
        runnel.close();
      }
      if (slack != null) {
        slack.close();
      }
    }

    @Test
    void aCommandOpensAThreadAndIsAnsweredInIt() {
      slack.command("C0COMMAND", ANN, "/agent", "fix the checkout test");

      awaitPost("C0COMMAND", "Told: fix the checkout test");
      var root = ours("C0COMMAND").getFirst();
      assertThat(text(root)).contains(ANN, "fix the checkout test");
      // The message in the channel is the run's card, so its thread has the end alone.
      assertThat(thread("C0COMMAND", ts(root))).hasSize(1);
      await().atMost(PATIENCE).until(() -> text(ours("C0COMMAND").getFirst()).contains("Finished"));
      assertThat(privately("C0COMMAND")).singleElement().asString().contains("On it.");
    }

    @Test
    void mentionIsAnsweredInItsThreadAndItsReactionsFollowTheRun() throws Exception {
      var said = mention("C0MENTION", "hold mention");
      awaitSign("C0MENTION", said, "gear");

      release("mention");
      awaitSign("C0MENTION", said, "white_check_mark");
      awaitPost("C0MENTION", "Told: hold mention");
      assertThat(thread("C0MENTION", said)).hasSize(2);
      await()
          .atMost(PATIENCE)
          .until(() -> signs("C0MENTION", said).equals(List.of("white_check_mark")));
    }

    @Test
    void aDirectMessageIsAnsweredInItsThread() {
      var channel = slack.directChannel(BOB);

      var said = slack.message(channel, BOB, "why is the build red?");

      awaitPost(channel, "Told: why is the build red?");
      assertThat(thread(channel, said)).hasSize(2);
    }

    @Test
    void replyIsAFollowUpAndMarkedWhenTheAgentHasReadIt() throws Exception {
      var said = mention("C0FOLLOW", "hold follow");
      awaitPost("C0FOLLOW", "Running");

      var reply = slack.reply("C0FOLLOW", said, BOB, "and add a test");
      awaitSign("C0FOLLOW", reply, "hourglass_flowing_sand");

      release("follow");
      awaitPost("C0FOLLOW", "Told: and add a test");
      awaitSign("C0FOLLOW", reply, "heavy_check_mark");
      assertThat(thread("C0FOLLOW", said)).hasSize(2);
    }

    @Test
    void editReplacesAWaitingMessage() {
      var said = mention("C0EDIT", "paint it");
      awaitPost("C0EDIT", "Told: paint it");

      var reply = slack.reply("C0EDIT", said, ANN, "paint it red");
      slack.edit("C0EDIT", reply, ANN, "paint it green");

      awaitPost("C0EDIT", "Told: paint it green");
      assertThat(posts("C0EDIT")).noneMatch(it -> it.contains("Told: paint it red"));
    }

    @Test
    void deletionWithdrawsAWaitingMessage() {
      var said = mention("C0DELETE", "paint it");
      awaitPost("C0DELETE", "Told: paint it");

      slack.delete("C0DELETE", slack.reply("C0DELETE", said, ANN, "paint it red"), ANN);
      slack.reply("C0DELETE", said, ANN, "and clean up");

      awaitPost("C0DELETE", "Told: and clean up");
      assertThat(posts("C0DELETE")).noneMatch(it -> it.contains("red"));
    }

    @Test
    void reactionStopsTheRun() {
      var said = mention("C0SIGN", "hold sign");
      awaitSign("C0SIGN", said, "gear");

      slack.react("C0SIGN", said, ANN, STOP_SIGN);

      awaitPost("C0SIGN", "Stopped");
      awaitSign("C0SIGN", said, "no_entry_sign");
    }

    @Test
    void stopMessageStopsARunningRun() {
      var said = mention("C0WORD", "hold word");
      awaitPost("C0WORD", "Running");

      slack.reply("C0WORD", said, ANN, "stop");

      awaitPost("C0WORD", "Stopped");
    }

    @Test
    void verbsListShowAndStopRuns() {
      mention("C0VERB", "hold verb");
      awaitPost("C0VERB", "Running");

      var run = RUN.matcher(asks("C0VERB", "list mine"));
      assertThat(run.find()).isTrue();
      assertThat(asks("C0VERB", "status " + run.group(1))).contains("Running for");
      slack.command("C0VERB", ANN, "/agent", "cancel " + run.group(1));

      awaitPost("C0VERB", "Stopped");
      assertThat(asks("C0VERB", "help")).contains("/agent");
    }

    @Test
    void buttonStopsTheRun() {
      var said = mention("C0BUTTON", "hold button");
      awaitPost("C0BUTTON", "Running");

      slack.press("C0BUTTON", withButton("C0BUTTON", "cancel_run"), ANN, "cancel_run");

      awaitPost("C0BUTTON", "Stopped");
      assertThat(thread("C0BUTTON", said)).noneMatch(it -> hasButton(it, "cancel_run"));
    }

    @Test
    void retryButtonRestartsAFailedRun() throws Exception {
      mention("C0RETRY", "break it");
      awaitPost("C0RETRY", "retry_run");

      release("mended");
      slack.press("C0RETRY", withButton("C0RETRY", "retry_run"), ANN, "retry_run");

      awaitPost("C0RETRY", "Told: break it");
    }

    @Test
    void questionMentionsItsPersonAndTheReplyAnswersIt() {
      var said = mention("C0BLOCKED", "ask me which colour");
      awaitSign("C0BLOCKED", said, "hand");
      awaitPost("C0BLOCKED", "Blue or green?");
      assertThat(thread("C0BLOCKED", said))
          .anyMatch(
              it -> text(it).contains("<@" + ANN + ">") && text(it).contains("Blue or green"));

      slack.reply("C0BLOCKED", said, ANN, "green, please");

      awaitPost("C0BLOCKED", "Told: green, please");
      awaitSign("C0BLOCKED", said, "white_check_mark");
    }

    @Test
    void aChoiceIsAButtonAndItsPostShowsWhoChoseWhat() {
      var said = mention("C0CHOICE", "pick a colour");
      awaitPost("C0CHOICE", "answer_other");

      slack.press("C0CHOICE", withButton("C0CHOICE", "answer_1"), ANN, "answer_1");

      awaitPost("C0CHOICE", "Told: Green");
      awaitPost("C0CHOICE", "*Answered* by <@" + ANN + ">");
      assertThat(thread("C0CHOICE", said)).noneMatch(it -> hasButton(it, "answer_1"));
    }

    @Test
    void stopMessageStopsARunThatWaitsForAnAnswer() {
      var said = mention("C0WAITS", "pick a colour");
      awaitPost("C0WAITS", "answer_other");

      slack.reply("C0WAITS", said, ANN, "stop");

      awaitPost("C0WAITS", "Stopped");
      awaitSign("C0WAITS", said, "no_entry_sign");
      assertThat(thread("C0WAITS", said)).noneMatch(it -> hasButton(it, "answer_1"));
    }

    @Test
    void aLongAnswerIsAFileInTheThread() {
      var said = mention("C0LONG", "tell it at length");

      await()
          .atMost(PATIENCE)
          .until(() -> thread("C0LONG", said).stream().anyMatch(it -> !it.path("files").isEmpty()));
      assertThat(posts("C0LONG")).anyMatch(it -> it.contains("Finding 1:"));
      assertThat(posts("C0LONG")).allMatch(it -> it.length() < 40_000);
    }

    @Test
    void planIsExecutedAfterApprovalByButton() {
      mention("C0PLAN", "plan: paint it");
      awaitPost("C0PLAN", "1. look 2. paint");
      awaitPost("C0PLAN", "Change…");

      slack.press("C0PLAN", withButton("C0PLAN", "answer_0"), ANN, "answer_0");

      awaitPost("C0PLAN", "Told: Approve");
      awaitPost("C0PLAN", "*Answered* by <@" + ANN + ">");
    }

    @Test
    void handedOverFilesAreUploadedExceptThoseWithSecrets() {
      var said = mention("C0FILE", "show me");

      awaitPost("C0FILE", "Told: show me");
      var thread = thread("C0FILE", said);
      assertThat(thread.stream().flatMap(it -> it.path("files").valueStream()))
          .extracting(it -> it.path("title").asText())
          .containsExactly("report.md", "shot.png");
      awaitPost("C0FILE", "I did not upload `env.txt`: it contains a secret.");
    }

    @Test
    void quickMessagesAreDeliveredTogether() {
      var said = mention("C0QUICK", "paint it");
      awaitPost("C0QUICK", "Told: paint it");

      var first = slack.reply("C0QUICK", said, ANN, "wait");
      var second = slack.reply("C0QUICK", said, ANN, "the door is green");
      slack.reply("C0QUICK", said, ANN, "so make it blue");

      awaitPost("C0QUICK", "Told: wait//the door is green//so make it blue");
      awaitSign("C0QUICK", first, "heavy_check_mark");
      awaitSign("C0QUICK", second, "heavy_check_mark");
    }

    @Test
    void newCommandStartsASecondRunInTheThread() throws Exception {
      var said = mention("C0NEW", "hold first");
      awaitPost("C0NEW", "Running");

      slack.reply("C0NEW", said, ANN, "new: write the docs");

      awaitPost("C0NEW", "Told: write the docs");
      release("first");
      awaitPost("C0NEW", "Told: hold first");
      assertThat(thread("C0NEW", said)).hasSize(4);
    }

    @Test
    void secretsAreHiddenFromAgentsAndProcessListings() throws Exception {
      var said = mention("C0SECRET", "hold secret");
      awaitPost("C0SECRET", "Running");
      await().atMost(PATIENCE).until(runnel::hasAgent);

      var seen = new StringBuilder(runnel.log()).append(threads());
      for (var process : runnel.agents()) {
        seen.append(ofProcess(process.pid(), "environ"));
        seen.append(ofProcess(process.pid(), "cmdline"));
      }
      seen.append(ofProcess(runnel.pid(), "cmdline"));
      assertThat(seen).contains("RUNNEL_RUN_ID=", "main");
      assertThat(seen).doesNotContain(LocalSlack.BOT_TOKEN, LocalSlack.APP_TOKEN);
      assertThat(seen).doesNotContain(LocalSlack.SIGNING_SECRET);

      release("secret");
      awaitSign("C0SECRET", said, "white_check_mark");
    }

    @Test
    void messageTextsAreNotLogged() {
      var said = mention("C0LOG", "paint the purple elephant");
      awaitPost("C0LOG", "Told: paint the purple elephant");
      slack.reply("C0LOG", said, ANN, "and the yellow submarine");
      awaitPost("C0LOG", "Told: and the yellow submarine");

      assertThat(runnel.log()).contains("run started delivery=");
      assertThat(runnel.log()).doesNotContain("purple", "elephant", "yellow", "submarine");
    }

    /// What the JVM tells of its threads.
    private String threads() throws Exception {
      var dump =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                  Long.toString(runnel.pid()),
                  "Thread.print")
              .redirectErrorStream(true)
              .start();
      return new String(dump.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    private static String ofProcess(long pid, String file) throws IOException {
      try {
        return Files.readString(
            Path.of("/proc", Long.toString(pid), file), StandardCharsets.ISO_8859_1);
      } catch (NoSuchFileException ended) {
        // The command's own short programs come and go.
        return "";
      }
    }

    private String mention(String channel, String text) {
      return slack.message(channel, ANN, "<@" + BOT + "> " + text);
    }

    private void release(String name) throws IOException {
      Files.createFile(folder.resolve(name));
    }

    /// Types the command, and waits for the private answer.
    private String asks(String channel, String text) {
      var before = privately(channel).size();
      slack.command(channel, ANN, "/agent", text);
      await(text).atMost(PATIENCE).until(() -> privately(channel).size() > before);
      return privately(channel).getLast();
    }

    private void awaitPost(String channel, String text) {
      await(text)
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(posts(channel)).anyMatch(each -> each.contains(text)));
    }

    private void awaitSign(String channel, String ts, String name) {
      await(name)
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(signs(channel, ts)).contains(name));
    }

    private List<String> signs(String channel, String ts) {
      var message =
          slack.messages(channel).stream()
              .filter(it -> ts(it).equals(ts))
              .findFirst()
              .orElseThrow();
      return StreamSupport.stream(message.path("reactions").spliterator(), false)
          .map(it -> it.path("name").asText())
          .toList();
    }

    private String withButton(String channel, String button) {
      return ours(channel).stream()
          .filter(it -> hasButton(it, button))
          .map(Flows::ts)
          .findFirst()
          .orElseThrow(() -> new AssertionFailedError("No button " + button));
    }

    private static boolean hasButton(JsonNode message, String button) {
      return message.findValuesAsText("action_id").contains(button);
    }

    private List<JsonNode> thread(String channel, String ts) {
      return ours(channel).stream()
          .filter(it -> it.path("thread_ts").asText().equals(ts) && !ts(it).equals(ts))
          .toList();
    }

    private List<String> posts(String channel) {
      return ours(channel).stream().map(Flows::text).toList();
    }

    private List<JsonNode> ours(String channel) {
      return slack.messages(channel).stream()
          .filter(it -> it.path("user").asText().equals(BOT))
          .filter(it -> !it.hasNonNull("ephemeral_to"))
          .toList();
    }

    private List<String> privately(String channel) {
      return slack.messages(channel).stream()
          .filter(it -> it.path("ephemeral_to").asText().equals(ANN))
          .map(Flows::text)
          .toList();
    }

    private static String ts(JsonNode message) {
      return message.path("ts").asText();
    }

    private static String text(JsonNode message) {
      return message.path("text").asText() + "\n" + message.path("blocks");
    }
  }
}
