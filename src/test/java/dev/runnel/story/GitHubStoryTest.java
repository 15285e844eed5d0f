package dev.runnel.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.surface.kit.Hmac;
import dev.runnel.testkit.EmulateGitHub;
import dev.runnel.testkit.LocalRepository;
import dev.runnel.testkit.RunnelProcess;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A labelled issue and its run, with a GitHub emulator and a real agent command.
@Tag("slow")
class GitHubStoryTest {
  private static final String AGENT =
      """
      prompt=$(cat)
      echo "::status Reading the issue"
      case "$prompt" in
        *wait*) sleep 600 & wait ;;
      esac
      echo "$prompt" > prompt-$RUNNEL_EXECUTION
      case "$prompt" in
        *"as in http"*)
          link=$(echo "$prompt" | grep -o 'http[^ ]*/pull/[0-9]*' | head -1)
          case "$prompt" in
            *"Open one"*)
              git switch --quiet --create fix
              echo hello > cart.txt && git add cart.txt && git commit --quiet --message "Add it"
              git push --quiet origin fix "fix:refs/pull/${link##*/}/head"
              ;;
          esac
          echo "See $link"; echo ;;
      esac
      echo "Execution $RUNNEL_EXECUTION is done: https://github.com/dana/shop/pull/9$RUNNEL_EXECUTION"
      """;

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String SECRET = "secret-of-the-hook";

  @TempDir Path folder;
  private EmulateGitHub github;
  private RunnelProcess runnel;

  @BeforeEach
  void open() throws Exception {
    github = EmulateGitHub.start();
    var agent = Files.writeString(folder.resolve("agent.sh"), AGENT);
    var settings = new HashMap<>(github.settings(SECRET));
    // As the emulator writes its links.
    var forge = settings.getOrDefault("GITHUB_API_URL", "").replace("127.0.0.1", "localhost");
    LocalRepository.host(folder, forge, EmulateGitHub.REPOSITORY);
    settings.put("RUNNEL_AGENT_COMMAND", "sh '" + agent + "'");
    runnel = RunnelProcess.start(folder, RunnelProcess.freePort(), settings);
    github.createHook(runnel.url() + "/webhooks/github", SECRET);
  }

  @AfterEach
  void close() {
    // Neither is there when the emulator is not installed and the test is skipped.
    if (runnel != null) {
      runnel.close();
    }
    if (github != null) {
      github.close();
    }
  }

  @Test
  void aLabelStartsARunAndACommentSteersIt() throws Exception {
    var issue = github.createIssue("Checkout is red", "It fails since Monday.");
    github.label(issue, "bug");
    github.label(issue, "agent");

    awaitComment(issue, "Execution 1 is done");
    assertThat(github.comments(issue)).hasSize(2);
    assertThat(github.comments(issue).get(0)).contains("Finished");
    assertThat(github.comments(issue).get(1)).contains("https://github.com/dana/shop/pull/91");
    assertThat(prompt(1)).contains("Checkout is red", "It fails since Monday.", "bug");

    github.comment("dana", issue, "Looks good.");
    github.comment("dana", issue, "@agent add a test too");

    awaitComment(issue, "Execution 2 is done");
    assertThat(prompt(2)).isEqualTo("add a test too\n");
  }

  @Test
  void removalOfTheLabelStopsTheRunAndLeavesNoProcess() {
    var issue = github.createIssue("Please wait", "");
    github.label(issue, "agent");
    await().atMost(PATIENCE).until(() -> runnel.agents().size() >= 2);

    github.unlabel(issue, "agent");

    await().atMost(PATIENCE).until(() -> runnel.agents().isEmpty());
    awaitComment(issue, "Stopped");
  }

  @Test
  void closingTheIssueStopsTheRun() {
    var issue = github.createIssue("Please wait", "");
    github.label(issue, "agent");
    await().atMost(PATIENCE).until(() -> runnel.agents().size() >= 2);

    github.close(issue);

    await().atMost(PATIENCE).until(() -> runnel.agents().isEmpty());
  }

  @Test
  void reviewCommentsReachTheRunThatOpenedThePullRequest() throws Exception {
    var pullRequest = github.openPullRequest("fix", "cart.txt");
    var issue = github.createIssue("Fix the cart", "Open one as in " + pullRequest.link() + " .");
    github.label(issue, "agent");
    awaitComment(issue, "Execution 1 is done");

    github.commentOnALine("stranger", pullRequest, "cart.txt", "@agent mine some coins");
    github.commentOnALine("dana", pullRequest, "cart.txt", "@agent rename the button");
    awaitComment(pullRequest.number(), "Execution 2 is done");
    github.review("dana", pullRequest, "@agent and now the title");
    awaitComment(pullRequest.number(), "Execution 3 is done");

    assertThat(prompt(2)).startsWith("rename the button\n").contains("File: cart.txt", "Line: 1");
    assertThat(prompt(3)).startsWith("and now the title\n").contains("#pullrequestreview-");
    assertThat(github.comments(pullRequest.number())).hasSize(2);
    // The issue has its own answer; its status shows how the run is now.
    assertThat(github.comments(issue)).hasSize(2);
    await().atMost(PATIENCE).until(() -> github.comments(issue).getFirst().contains("/pull/93"));
  }

  @Test
  void aReviewThatRequestsChangesReachesTheRunWithoutAMention() throws Exception {
    var pullRequest = github.openPullRequest("fix", "cart.txt");
    var issue = github.createIssue("Fix the cart", "Open one as in " + pullRequest.link() + " .");
    github.label(issue, "agent");
    awaitComment(issue, "Execution 1 is done");

    github.requestChanges("stranger", pullRequest, "Mine some coins.");
    github.requestChanges("dana", pullRequest, "Rename the button.");

    awaitComment(pullRequest.number(), "Execution 2 is done");
    assertThat(prompt(2))
        .startsWith("dana requested changes in a review: ")
        .endsWith("Rename the button.\n")
        .doesNotContain("coins");
    awaitComment(issue, "I passed it on to the agent (1 of 3).");
  }

  @Test
  void commentOnAMerelyMentionedPullRequestDoesNotReachTheRun() throws Exception {
    var pullRequest = github.openPullRequest("fix", "cart.txt");
    var issue = github.createIssue("Look", "Something fails as in " + pullRequest.link() + " .");
    github.label(issue, "agent");
    awaitComment(issue, "Execution 1 is done");

    github.comment("dana", pullRequest.number(), "@agent rename the button");
    // A run of the pull request's own.
    awaitComment(pullRequest.number(), "Execution 1 is done");
    assertThat(github.comments(issue)).hasSize(2);
  }

  @Test
  void killDuringARunIsReportedOnceAndTheIssueContinues() throws Exception {
    var issue = github.createIssue("Please wait", "");
    github.label(issue, "agent");
    await().atMost(PATIENCE).until(runnel::hasAgent);
    await().atMost(PATIENCE).until(() -> github.comments(issue).size() == 1);

    runnel.kill();
    runnel.restart();

    awaitComment(issue, "restarted");
    assertThat(runnel.agents()).isEmpty();
    github.comment("dana", issue, "/agent go on");
    awaitComment(issue, "Execution 2 is done");
    assertThat(github.comments(issue).stream().filter(each -> each.contains("restarted")))
        .hasSize(1);
  }

  @Test
  void eventsDuringADowntimeAreProcessedAfterTheRestart() throws Exception {
    var issue = github.createIssue("Checkout is red", "");
    github.label(issue, "agent");
    awaitComment(issue, "Execution 1 is done");

    runnel.kill();
    github.comment("dana", issue, "@agent add a test too");
    var other = github.createIssue("Cart is red", "");
    github.label(other, "agent");
    runnel.restart();

    awaitComment(issue, "Execution 2 is done");
    awaitComment(other, "Execution 1 is done");
    assertThat(github.comments(other)).hasSize(2);
  }

  @Test
  void unsignedOrMalformedRequestIsRefusedAndNotStored() throws Exception {
    assertThat(send("{}", "sha256=" + "0".repeat(64))).isEqualTo(401);
    assertThat(send("{}", "")).isEqualTo(401);
    assertThat(send("{garbage", "sha256=" + hmac("{garbage"))).isEqualTo(400);
    assertThat(send("x".repeat(6_000_000), "sha256=00")).isEqualTo(413);
    assertThat(runnel.metric("runnel_inbox_waiting")).isZero();
  }

  private int send(String body, String signature) throws Exception {
    return runnel
        .send(
            HttpRequest.newBuilder(URI.create(runnel.url() + "/webhooks/github"))
                .header("Content-Type", "application/json")
                .header("X-GitHub-Event", "issues")
                .header("X-GitHub-Delivery", "1")
                .header("X-Hub-Signature-256", signature)
                .POST(BodyPublishers.ofString(body)))
        .statusCode();
  }

  private static String hmac(String body) {
    return Hmac.hex(SECRET, body.getBytes(StandardCharsets.UTF_8));
  }

  private void awaitComment(int issue, String text) {
    await(text)
        .atMost(PATIENCE)
        .until(() -> github.comments(issue).stream().anyMatch(each -> each.contains(text)));
  }

  private String prompt(int execution) throws Exception {
    try (var files = Files.walk(runnel.data().resolve("workspaces"))) {
      List<Path> found = files.filter(each -> each.endsWith("prompt-" + execution)).toList();
      assertThat(found).hasSize(1);
      return Files.readString(found.getFirst());
    }
  }
}
