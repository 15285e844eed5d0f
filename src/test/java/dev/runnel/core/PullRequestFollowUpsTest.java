package dev.runnel.core;

import static dev.runnel.testkit.Samples.NINE;
import static dev.runnel.testkit.Samples.SAM;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.command.MessageParser;
import dev.runnel.core.decide.PullRequestFollowUps;
import dev.runnel.core.dispatch.DispatchOptions;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.PullRequestState;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.World;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A run opened a pull request whose checks fail, or of which a reviewer wants changes.
class PullRequestFollowUpsTest {
  private static final URI LINK = URI.create("https://git.example/acme/shop/pull/7");

  @TempDir Path folder;
  private World world;

  @BeforeEach
  void open() {
    world = new World(folder);
    world.says(delivery("1", start("fix the cart")));
    world.settle();
    world.runs.makes(
        world.onlyRun().id(), new Artifact("acme/shop#7", LINK, true, Optional.of("fix")));
    ends();
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void failedChecksAreReportedToTheRunAndItsThread() {
    fails("2", "1a");

    assertThat(told()).containsExactly("The checks failed at 1a.\n\nFix it.");
    assertThat(world.surface.told(THREAD))
        .containsExactly("The checks failed at 1a. I passed it on to the agent (1 of 3).");
    ends();
    assertThat(world.surface.kinds(THREAD))
        .containsExactly("Status", "Succeeded", "Message", "Succeeded");
    assertThat(world.elsewhere.posts()).isEmpty();
  }

  @Test
  void failedChecksOfABranchGoToTheRunOfItsPullRequest() {
    failsOn("2", "https://git.example/acme/shop", "fix", "1a");
    fails("3", "1a");

    assertThat(told()).containsExactly("The checks failed at 1a.\n\nFix it.");
  }

  @Test
  void failedChecksOfOtherBranchesAndRepositoriesAreIgnored() {
    failsOn("2", "https://git.example/acme/shop", "fix-2", "1a");
    failsOn("3", "https://git.example/acme/sho", "fix", "1a");
    failsOn("4", "https://other.example/acme/shop", "fix", "1a");

    assertThat(told()).isEmpty();
    assertThat(world.runs.starts()).hasSize(1);
  }

  @Test
  void failedChecksOfAMergedPullRequestAreIgnored() {
    world.says(
        event(
            "2",
            new Intent.PullRequestChanged(LINK, PullRequestState.MERGED, NINE, Optional.empty())));
    world.settle();
    failsOn("3", "https://git.example/acme/shop", "fix", "1a");

    assertThat(told()).isEmpty();
  }

  @Test
  void failedChecksOfACommitCountOnceEvenAfterARestart() {
    fails("2", "1a");
    world.restart(UnaryOperator.identity());
    fails("3", "1a");

    assertThat(told()).hasSize(1);
  }

  @Test
  void runGetsOnlyMentionsAfterItsLastAutomaticFollowUp() {
    for (var commit : List.of("1a", "2b", "3c", "4d")) {
      fails(commit, commit);
    }

    assertThat(told()).hasSize(3);
    assertThat(world.surface.told(THREAD))
        .hasSize(3)
        .last()
        .asString()
        .endsWith(
            "I passed it on to the agent (3 of 3; from now on I pass on only messages that mention"
                + " me).");
  }

  @Test
  void reportWithALostResponseIsSentAndAnnouncedOnce() {
    world.runs.losesNextAnswer();
    fails("2", "1a");
    world.passes(Duration.ofMinutes(1));

    assertThat(told()).hasSize(1);
    assertThat(world.surface.told(THREAD)).hasSize(1);
  }

  @Test
  void failedChecksOfAMergedPullRequestSendNoFollowUp() {
    world.says(
        event(
            "2",
            new Intent.PullRequestChanged(LINK, PullRequestState.MERGED, NINE, Optional.empty())));
    world.settle();
    fails("3", "1a");

    assertThat(told()).isEmpty();
  }

  @Test
  void failedChecksAreNotReportedToARunWithAMutedThread() {
    world.says(delivery("2", MessageParser.words("mute").orElseThrow()));
    world.settle();
    fails("3", "1a");

    assertThat(told()).isEmpty();
  }

  @Test
  void failedChecksDoNotAnswerABlockedRun() {
    world.says(delivery("2", say("go on")));
    world.settle();
    world.runs.moves(world.onlyRun().id(), RunState.BLOCKED, "Which database?");
    world.passes(Duration.ofSeconds(2));
    fails("3", "1a");

    assertThat(told()).containsExactly("go on");
  }

  @Test
  void failedChecksDuringAFreezeAreReportedAfterIt() {
    world.freezes(true);
    fails("2", "1a");
    world.passes(Duration.ofMinutes(3));
    world.restart(UnaryOperator.identity());
    assertThat(told()).isEmpty();
    assertThat(world.surface.told(THREAD)).isEmpty();

    world.freezes(false);
    world.settle();

    assertThat(told()).containsExactly("The checks failed at 1a.\n\nFix it.");
  }

  @Test
  void failedChecksOfARunThatEndsDuringAFreezeAreReportedAfterIt() {
    world.says(delivery("2", say("go on")));
    world.settle();
    world.freezes(true);
    // The watcher has not seen the end yet.
    world.runs.moves(world.onlyRun().id(), RunState.SUCCEEDED, "Done");
    fails("3", "1a");
    world.passes(Duration.ofMinutes(3));
    assertThat(told()).containsExactly("go on");

    world.freezes(false);
    world.settle();

    assertThat(told()).containsExactly("go on", "The checks failed at 1a.\n\nFix it.");
  }

  @Test
  void failedChecksAreNotReportedIfFollowUpsAreDisabled() {
    world.dispatches(DispatchOptions.DEFAULT.withPullRequests(new PullRequestFollowUps(0)));
    fails("2", "1a");

    assertThat(told()).isEmpty();
  }

  @Test
  void failedChecksOfAnUnknownPullRequestAreIgnored() {
    world.says(event("2", checks("https://git.example/acme/shop/pull/8", "1a")));
    world.settle();

    assertThat(told()).isEmpty();
    assertThat(world.runs.starts()).hasSize(1);
  }

  @Test
  void aReviewGoesToTheRunAsItsReviewersMessage() {
    var needs =
        new Intent.PullRequestNeeds(
            LINK,
            "review:5",
            "sam requested changes",
            "sam requested changes\n\nRename it.",
            false);
    world.says(event("2", needs));
    world.settle();

    assertThat(told()).containsExactly("sam requested changes\n\nRename it.");
    assertThat(world.surface.told(THREAD))
        .containsExactly("sam requested changes. I passed it on to the agent (1 of 3).");
  }

  private void fails(String id, String commit) {
    world.says(event(id, checks(LINK.toString(), commit)));
    world.settle();
  }

  private void failsOn(String id, String repository, String branch, String commit) {
    var news = "The checks failed at " + commit;
    world.says(
        event(
            id,
            new Intent.PullRequestNeeds(
                URI.create(repository),
                "checks:" + commit,
                news,
                news + ".\n\nFix it.",
                true,
                Optional.of(branch))));
    world.settle();
  }

  private static Intent checks(String link, String commit) {
    var news = "The checks failed at " + commit;
    return new Intent.PullRequestNeeds(
        URI.create(link), "checks:" + commit, news, news + ".\n\nFix it.", true);
  }

  private Delivery event(String id, Intent intent) {
    return new Delivery(
        new DeliveryId("elsewhere:" + id),
        "needs:" + id,
        new Conversation(world.elsewhere.id(), "acme/shop#7"),
        SAM,
        intent,
        true,
        new Origin(
            Optional.of(LINK), Optional.empty(), Optional.of(new PostRef("review-" + id)), false),
        world.clock.instant());
  }

  private void ends() {
    world.runs.moves(world.onlyRun().id(), RunState.SUCCEEDED, "Done");
    world.passes(Duration.ofSeconds(2));
  }

  private List<String> told() {
    return world.runs.followUps().stream().map(each -> each.text()).toList();
  }
}
