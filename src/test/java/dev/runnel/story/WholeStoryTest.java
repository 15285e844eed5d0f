package dev.runnel.story;

import static dev.runnel.testkit.LocalSlack.ANN;
import static dev.runnel.testkit.LocalSlack.BOT;
import static dev.runnel.testkit.LocalSlack.CHANNEL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.surface.kit.Hmac;
import dev.runnel.testkit.EmulateGitHub;
import dev.runnel.testkit.LocalRepository;
import dev.runnel.testkit.LocalSlack;
import dev.runnel.testkit.RunnelProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// All that happens to a piece of work, from its plan to its merged pull request, in one thread.
/// The agent is a script that runs as a process; Slack and GitHub are emulators.
@Tag("slow")
class WholeStoryTest {
  /// Keeps what it reads in `$HOME/inputs`, and names the file for which it waits `$HOME/go-WORD`.
  private static final String AGENT =
      """
      prompt=$(cat)
      echo "$prompt" >> "$HOME/inputs"
      echo "$RUNNEL_RUN_ID" >> "$HOME/runs"
      wait_for() { touch "$HOME/at-$1"; until [ -e "$HOME/go-$1" ]; do sleep 0.05; done; }
      publish() {
        echo "$1" >> cart.txt && git add cart.txt && git commit --quiet --message "$1"
        git push --quiet origin HEAD:refs/heads/fix "HEAD:refs/pull/$(cat "$HOME/number")/head"
      }
      case "$prompt" in
        *"only the cart"*) echo "1. mend the cart"; exit 0 ;;
        *"Do not change anything yet"*) echo "1. mend the cart 2. mend the shop"; exit 0 ;;
        *Approve*)
          echo "::blocked From which branch?"
          echo "::option main"
          echo "::option release"
          exit 0 ;;
        *release*) wait_for reply; echo "Looked at release"; exit 0 ;;
        *"add a test"*) wait_for never ;;
        *"in blue"*)
          git switch --quiet --create fix
          publish "Mend the cart"
          printf '\\211PNG' > "$RUNNEL_ARTIFACTS/cart.png"
          printf 'item,price\\ncup,3\\n' > "$RUNNEL_ARTIFACTS/prices.csv"
          echo "Opened $(cat "$HOME/link")" ;;
        *"requested changes"*) publish "Rename it"; echo "It is renamed" ;;
        *"checks of the pull request"*) publish "Mend the test"; echo "The test is mended" ;;
      esac
      """;

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String SECRET = "secret-of-the-hook";

  @TempDir Path folder;
  private LocalSlack slack;
  private EmulateGitHub github;
  private RunnelProcess runnel;

  @BeforeEach
  void open() throws Exception {
    var port = RunnelProcess.freePort();
    slack =
        LocalSlack.start(
            LocalSlack.Transport.HTTP, URI.create("http://127.0.0.1:" + port + "/slack/events"));
    github = EmulateGitHub.start();
    var agent = Files.writeString(folder.resolve("agent.sh"), AGENT);
    var settings = new HashMap<>(slack.settings());
    settings.putAll(github.settings(SECRET));
    settings.put("RUNNEL_AGENT_COMMAND", "sh '" + agent + "'");
    // As the emulator writes its links.
    var forge = settings.getOrDefault("GITHUB_API_URL", "").replace("127.0.0.1", "localhost");
    LocalRepository.host(folder, forge, EmulateGitHub.REPOSITORY);
    runnel = RunnelProcess.start(folder, port, settings);
    github.createHook(runnel.url() + "/webhooks/github", SECRET);
  }

  @AfterEach
  void close() {
    // None is there when the emulators are not installed and the test is skipped.
    if (runnel != null) {
      runnel.close();
    }
    if (github != null) {
      github.close();
    }
    if (slack != null) {
      slack.close();
    }
  }

  @Test
  void scriptedAgentGoesFromASlackPlanToAMergedPullRequest() throws Exception {
    var pullRequest = github.openPullRequest("fix", "cart.txt");
    Files.writeString(folder.resolve("link"), pullRequest.link().toString());
    Files.writeString(folder.resolve("number"), Integer.toString(pullRequest.number()));

    // A plan, changed and then approved.
    slack.command(CHANNEL, ANN, "/agent", "plan: mend the checkout");
    awaitPost("1. mend the cart 2. mend the shop");
    say("only the cart, please");
    await().atMost(PATIENCE).until(() -> posts("1. mend the cart").size() == 2);
    press(lastWith("answer_0"), "answer_0");

    // A question, answered by a button.
    awaitPost("From which branch?");
    awaitButton("answer_1", "release");
    press(lastWith("answer_1"), "answer_1");
    awaitPost("*Answered* by <@" + ANN + ">");
    awaitFile("at-reply");

    // A reply while the agent works.
    var reply = say("and add a test");
    awaitSign(reply, "hourglass_flowing_sand");
    assertThat(inputs()).doesNotContain("add a test");
    release("reply");
    awaitSign(reply, "heavy_check_mark");
    assertThat(inputs()).containsOnlyOnce("and add a test");
    awaitFile("at-never");

    // A stop, which hands back what the agent has not read.
    var unread = say("paint it in blue");
    awaitSign(unread, "hourglass_flowing_sand");
    say("please stop it!");
    awaitPost("paint it in blue");
    awaitButton("send_replies", "Send it");
    awaitSign(unread, "no_entry_sign");
    assertThat(runnel.agents()).isEmpty();
    assertThat(inputs()).doesNotContain("in blue");
    press(lastWith("send_replies"), "send_replies");

    // A picture, a table, the pull request, and what Runnel saw.
    awaitPost("Opened <" + pullRequest.link() + ">");
    assertThat(inputs()).containsOnlyOnce("paint it in blue");
    assertThat(thread().stream().flatMap(it -> it.path("files").valueStream()))
        .extracting(it -> it.path("title").asText())
        .containsExactlyInAnyOrder("cart.png", "prices.csv");
    assertThat(posts("Seen by Runnel: ").getLast()).contains("1 commit");

    // A red check, mended by the same run.
    assertThat(reportFailedChecks(pullRequest)).isEqualTo(202);
    awaitPost("I passed it on to the agent (1 of 3).");
    awaitPost("The test is mended");

    // Merged.
    github.merge(pullRequest);
    awaitPost("merged");
    await().atMost(PATIENCE).until(() -> text(card()).contains("merged"));

    assertThat(roots()).as("the channel shows one card").hasSize(1);
    assertThat(text(card())).contains("View PR #" + pullRequest.number(), "Finished");
    assertThat(Files.readAllLines(folder.resolve("runs")).stream().distinct()).hasSize(1);
  }

  @Test
  void scriptedAgentGoesFromAnIssueToAMergedPullRequest() throws Exception {
    var pullRequest = github.openPullRequest("fix", "cart.txt");
    Files.writeString(folder.resolve("link"), pullRequest.link().toString());
    Files.writeString(folder.resolve("number"), Integer.toString(pullRequest.number()));
    var issue = github.createIssue("The checkout is red", "Since Monday.");

    // A plan, changed and then approved; a question, answered by its number.
    github.comment("dana", issue, "/agent plan: mend the checkout");
    awaitComment(issue, "1. mend the cart 2. mend the shop");
    github.comment("dana", issue, "/agent only the cart, please");
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                github.comments(issue).stream().filter(it -> it.contains("mend the cart")).count()
                    == 2);
    github.comment("dana", issue, "/agent approve");
    awaitComment(issue, "From which branch?");
    github.comment("dana", issue, "/agent 2");
    awaitFile("at-reply");

    // Replies while the agent works, and a stop that names the one that it has not read.
    github.comment("dana", issue, "/agent and add a test");
    awaitStored("and add a test", 4);
    release("reply");
    awaitFile("at-never");
    assertThat(inputs()).containsOnlyOnce("and add a test");
    github.comment("dana", issue, "/agent paint it in blue");
    awaitStored("in blue", 5);
    github.comment("dana", issue, "/agent stop");
    awaitComment(issue, "1 reply was not read: “paint it in blue”");
    assertThat(runnel.agents()).isEmpty();
    github.comment("dana", issue, "/agent paint it in blue");

    // What it made, and what Runnel saw.
    awaitComment(issue, "Opened " + pullRequest.link());
    assertThat(inputs()).containsOnlyOnce("paint it in blue");
    awaitComment(issue, "cart.png");
    awaitComment(issue, "prices.csv");
    awaitComment(issue, "Seen by Runnel: 1 file changed, 1 commit");

    // A review and a red check, mended by the same run; then it is merged.
    github.requestChanges("dana", pullRequest, "Rename the button.");
    awaitComment(issue, "I passed it on to the agent (1 of 3).");
    awaitComment(pullRequest.number(), "It is renamed");
    assertThat(reportFailedChecks(pullRequest)).isEqualTo(202);
    awaitComment(issue, "I passed it on to the agent (2 of 3).");
    await().atMost(PATIENCE).until(() -> inputs().contains("The checks of the pull request"));
    awaitComment(issue, "The test is mended");
    github.merge(pullRequest);
    awaitComment(issue, "merged");

    assertThat(github.comments(issue).stream().filter(it -> it.contains("**Finished**")))
        .as("the issue shows one card")
        .singleElement()
        .asString()
        .contains("merged");
    assertThat(Files.readAllLines(folder.resolve("runs")).stream().distinct()).hasSize(1);
  }

  /// Waits until the run service has the reply, which is not yet for the agent to read.
  private void awaitStored(String text, int followUps) throws IOException {
    await(text)
        .atMost(PATIENCE)
        .until(() -> runnel.log().split("follow-up stored", -1).length > followUps);
    assertThat(inputs()).doesNotContain(text);
  }

  private void awaitComment(int issue, String text) {
    await(text)
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(github.comments(issue)).anyMatch(each -> each.contains(text)));
  }

  private int reportFailedChecks(EmulateGitHub.PullRequest pullRequest) throws Exception {
    var link = pullRequest.link().toString();
    var body =
        """
        {"action": "completed",
         "check_suite": {"id": 7, "head_sha": "ec26c3e57ca3a959ca5aad62de7213c562f8c821",
                         "conclusion": "failure", "pull_requests": [{"number": %d}]},
         "repository": {"full_name": "%s", "html_url": "%s"},
         "sender": {"login": "ci[bot]", "type": "Bot"}}
        """
            .formatted(
                pullRequest.number(),
                EmulateGitHub.REPOSITORY,
                link.substring(0, link.indexOf("/pull/")));
    return runnel
        .send(
            HttpRequest.newBuilder(URI.create(runnel.url() + "/webhooks/github"))
                .header("Content-Type", "application/json")
                .header("X-GitHub-Event", "check_suite")
                .header("X-GitHub-Delivery", "checks-1")
                .header(
                    "X-Hub-Signature-256",
                    "sha256=" + Hmac.hex(SECRET, body.getBytes(StandardCharsets.UTF_8)))
                .POST(BodyPublishers.ofString(body)))
        .statusCode();
  }

  /// Says it in the run's thread.
  private String say(String text) {
    return slack.reply(CHANNEL, ts(card()), ANN, text);
  }

  private void press(String ts, String button) {
    slack.press(CHANNEL, ts, ANN, button);
  }

  private void release(String name) throws IOException {
    Files.createFile(folder.resolve("go-" + name));
  }

  private void awaitFile(String name) {
    await(name).atMost(PATIENCE).until(() -> Files.exists(folder.resolve(name)));
  }

  private String inputs() throws IOException {
    return Files.readString(folder.resolve("inputs"));
  }

  private void awaitPost(String text) {
    await(text)
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(thread().stream().map(WholeStoryTest::text))
                    .anyMatch(each -> each.contains(text)));
  }

  private void awaitButton(String button, String label) {
    await(button)
        .atMost(PATIENCE)
        .until(
            () ->
                thread().stream()
                    .flatMap(it -> it.findParents("action_id").stream())
                    .anyMatch(
                        it ->
                            it.path("action_id").asText().equals(button)
                                && it.toString().contains(label)));
  }

  private void awaitSign(String ts, String name) {
    await(name).atMost(PATIENCE).untilAsserted(() -> assertThat(signs(ts)).containsExactly(name));
  }

  private List<String> signs(String ts) {
    return slack.messages(CHANNEL).stream()
        .filter(it -> ts(it).equals(ts))
        .flatMap(it -> StreamSupport.stream(it.path("reactions").spliterator(), false))
        .map(it -> it.path("name").asText())
        .toList();
  }

  private String lastWith(String button) {
    return thread().stream()
        .filter(it -> it.findValuesAsText("action_id").contains(button))
        .map(WholeStoryTest::ts)
        .toList()
        .getLast();
  }

  private List<String> posts(String text) {
    return thread().stream().map(WholeStoryTest::text).filter(it -> it.contains(text)).toList();
  }

  private JsonNode card() {
    await().atMost(PATIENCE).until(() -> !roots().isEmpty());
    return roots().getFirst();
  }

  /// Our messages in the channel itself.
  private List<JsonNode> roots() {
    return ours().stream().filter(it -> thread(it).isEmpty() || thread(it).equals(ts(it))).toList();
  }

  /// Our messages in the thread, oldest first.
  private List<JsonNode> thread() {
    var root = ts(card());
    return ours().stream().filter(it -> thread(it).equals(root) && !ts(it).equals(root)).toList();
  }

  private List<JsonNode> ours() {
    return slack.messages(CHANNEL).stream()
        .filter(it -> it.path("user").asText().equals(BOT) && !it.hasNonNull("ephemeral_to"))
        .toList();
  }

  private static String thread(JsonNode message) {
    return message.path("thread_ts").asText();
  }

  private static String ts(JsonNode message) {
    return message.path("ts").asText();
  }

  private static String text(JsonNode message) {
    return message.path("text").asText() + "\n" + message.path("blocks");
  }
}
