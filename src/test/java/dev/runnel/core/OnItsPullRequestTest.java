package dev.runnel.core;

import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.SAM;
import static dev.runnel.testkit.Samples.SURFACE;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.cancel;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.ConversationPolicy;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.PullRequestState;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.policy.Rule;
import dev.runnel.testkit.World;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A run was asked for in a thread and opened a pull request; people talk to it there.
class OnItsPullRequestTest {
  private static final Conversation PULL_REQUEST = new Conversation(SURFACE, "acme/shop#7");
  private static final URI LINK = URI.create("https://git.example/acme/shop/pull/7");

  private static final Instant NINE = Instant.parse("2026-01-05T09:00:00Z");

  @TempDir Path folder;
  private World world;

  @BeforeEach
  void open() {
    world = new World(folder);
    world.says(delivery("1", start("fix the cart")));
    world.settle();
    world.runs.makes(
        world.onlyRun().id(), new Artifact("acme/shop#7", LINK, true, Optional.of("fix")));
    world.settle();
  }

  @AfterEach
  void close() {
    world.close();
  }

  /// Sam comments on the pull request.
  private Delivery comments(String id, Intent intent) {
    return comments(id, intent, LINK + "#issuecomment-" + id);
  }

  private Delivery comments(String id, Intent intent, String link) {
    return new Delivery(
        new DeliveryId("fake:" + id),
        "said:" + id,
        PULL_REQUEST,
        SAM,
        intent,
        true,
        new Origin(
            Optional.of(URI.create(link)),
            Optional.empty(),
            Optional.of(new PostRef("message-" + id)),
            false),
        world.clock.instant());
  }

  private void ends(RunState state, String message) {
    world.runs.moves(world.onlyRun().id(), state, message);
    world.passes(Duration.ofSeconds(2));
  }

  @Nested
  class WhenItChanges {
    private void becomes(String id, PullRequestState state, Instant at) {
      world.says(
          comments(
              id, new Intent.PullRequestChanged(LINK, state, at, Optional.empty()), LINK + ""));
      world.passes(Duration.ofSeconds(10));
    }

    private void isElsewhere(String id, PullRequestState state) {
      var there = new Conversation(world.elsewhere.id(), "acme/shop#7");
      var changed =
          new Intent.PullRequestChanged(LINK, state, world.clock.instant(), Optional.empty());
      world.says(comments(id, changed, LINK + "").movedTo(there));
      world.passes(Duration.ofSeconds(10));
    }

    private Optional<PullRequestState> shown() {
      var status = (Update.Status) world.surface.posts(THREAD).getFirst().update();
      return status.run().artifacts().getFirst().state();
    }

    @Test
    void statusPostShowsTheStateOfThePullRequest() {
      becomes("2", PullRequestState.DRAFT, NINE);
      assertThat(shown()).contains(PullRequestState.DRAFT);

      becomes("3", PullRequestState.OPEN, NINE.plusSeconds(60));
      assertThat(shown()).contains(PullRequestState.OPEN);
    }

    @Test
    void anEventThatArrivesLateChangesNothing() {
      becomes("2", PullRequestState.MERGED, NINE.plusSeconds(60));
      becomes("3", PullRequestState.OPEN, NINE);

      assertThat(shown()).contains(PullRequestState.MERGED);
    }

    @Test
    void earlierPullRequestStateIsShownWhenTheRunNamesIt() {
      var other = URI.create("https://git.example/acme/shop/pull/8");
      world.says(
          comments(
              "2",
              new Intent.PullRequestChanged(other, PullRequestState.DRAFT, NINE, Optional.empty()),
              other + ""));
      world.settle();
      world.runs.makes(
          world.onlyRun().id(), new Artifact("acme/shop#8", other, true, Optional.of("two")));
      world.passes(Duration.ofSeconds(10));

      var status = (Update.Status) world.surface.posts(THREAD).getFirst().update();
      assertThat(status.run().artifacts())
          .extracting(Artifact::state)
          .containsExactly(Optional.empty(), Optional.of(PullRequestState.DRAFT));
    }

    @Test
    void mergeIsReportedOnceInAThreadOnAnotherPlatform() {
      ends(RunState.SUCCEEDED, "Opened it.");
      isElsewhere("2", PullRequestState.MERGED);
      isElsewhere("3", PullRequestState.MERGED);

      assertThat(world.surface.told(THREAD)).containsExactly("acme/shop#7 was merged: " + LINK);
      assertThat(shown()).contains(PullRequestState.MERGED);
      assertThat(world.runs.followUps()).isEmpty();
    }

    @Test
    void secondCloseAfterAReopenIsReportedToo() {
      ends(RunState.SUCCEEDED, "Opened it.");
      isElsewhere("2", PullRequestState.CLOSED);
      isElsewhere("3", PullRequestState.OPEN);
      isElsewhere("4", PullRequestState.CLOSED);

      assertThat(world.surface.told(THREAD)).hasSize(2);
    }

    @Test
    void closeIsNotReportedInAThreadOnTheSamePlatform() {
      becomes("2", PullRequestState.CLOSED, NINE);

      assertThat(world.surface.told(THREAD)).isEmpty();
      assertThat(shown()).contains(PullRequestState.CLOSED);
    }

    @Test
    void closingThePullRequestStopsARunStartedOnIt() {
      world.says(comments("2", start("review it")).movedTo(PULL_REQUEST));
      world.settle();
      var stop = new Intent.Cancel(Optional.empty(), Optional.of("closed the pull request"));
      world.says(
          comments(
              "3",
              new Intent.PullRequestChanged(LINK, PullRequestState.CLOSED, NINE, Optional.of(stop)),
              LINK + ""));
      world.settle();

      assertThat(world.runs.cancels()).hasSize(1);
    }
  }

  @Nested
  class AfterItsEnd {
    @BeforeEach
    void end() {
      ends(RunState.SUCCEEDED, "Opened it.");
    }

    @Test
    void commentOnThePullRequestReachesTheRunAndIsAnsweredThere() {
      world.says(comments("2", say("rename the button")));
      world.settle();
      assertThat(world.runs.followUps())
          .singleElement()
          .satisfies(
              said -> {
                assertThat(said.run()).isEqualTo(world.onlyRun().id());
                assertThat(said.text()).isEqualTo("rename the button");
              });
      assertThat(world.surface.signs(new PostRef("message-2"))).contains(MessageStatus.DELIVERED);

      ends(RunState.SUCCEEDED, "Renamed.");

      assertThat(world.surface.kinds(PULL_REQUEST)).containsExactly("Succeeded");
      assertThat(answer().run().message()).contains("Renamed.");
      assertThat(answer().requester()).isEqualTo(SAM);
      // Its own thread has had its answer; its status shows how the run is now.
      assertThat(world.surface.kinds(THREAD)).containsExactly("Status", "Succeeded");
      assertThat(statusIn(THREAD).run().message()).contains("Renamed.");
    }

    private Update.Succeeded answer() {
      return (Update.Succeeded) world.surface.posts(PULL_REQUEST).getFirst().update();
    }

    @Test
    void laterThreadFollowUpIsAnsweredOnlyInTheThread() {
      world.says(comments("2", say("rename the button")));
      world.settle();
      ends(RunState.SUCCEEDED, "Renamed.");

      world.says(delivery("3", say("thanks, and the title?")));
      world.settle();
      ends(RunState.SUCCEEDED, "The title too.");

      assertThat(world.surface.kinds(THREAD)).containsExactly("Status", "Succeeded", "Succeeded");
      assertThat(world.surface.kinds(PULL_REQUEST)).containsExactly("Succeeded");
    }

    @Test
    void runWithMessagesFromBothPlacesAnswersInBoth() {
      world.says(comments("2", say("rename the button")));
      world.settle();
      world.says(delivery("3", say("and the title?")));
      world.settle();
      ends(RunState.SUCCEEDED, "Both.");

      assertThat(world.surface.kinds(PULL_REQUEST)).containsExactly("Succeeded");
      assertThat(world.surface.kinds(THREAD)).containsExactly("Status", "Succeeded", "Succeeded");
    }

    @Test
    void reviewAndItsCommentsBecomeOneFollowUp() {
      world.surface.hasManners(
          new ConversationPolicy(ConversationPolicy.Audience.EVERYONE, Duration.ofSeconds(2)));
      world.says(comments("2", say("please see my comments")));
      world.says(comments("3", say("rename this")));
      world.says(comments("4", say("drop that")));
      world.passes(Duration.ofSeconds(4));

      assertThat(world.runs.followUps())
          .extracting("text")
          .containsExactly("please see my comments\n\nrename this\n\ndrop that");
    }

    @Test
    void questionIsPostedAndAnsweredOnThePullRequest() {
      world.says(comments("2", say("rename the button")));
      world.settle();
      ends(RunState.BLOCKED, "To what?");
      assertThat(world.surface.kinds(PULL_REQUEST)).containsExactly("Blocked");

      world.says(comments("3", say("to Buy")));
      world.settle();
      ends(RunState.SUCCEEDED, "Renamed.");

      assertThat(world.runs.followUps()).hasSize(2);
      assertThat(world.surface.kinds(PULL_REQUEST)).containsExactly("QuestionClosed", "Succeeded");
    }

    @Test
    void linkToThePullRequestMayBeSpelledDifferently() {
      world.says(comments("2", say("rename it"), "https://Git.example/Acme/Shop/pull/7/files#r2"));
      world.settle();

      assertThat(world.runs.followUps()).hasSize(1);
    }

    @Test
    void commentOnAnotherPullRequestStartsANewRun() {
      world.says(comments("2", say("rename it"), "https://git.example/acme/shop/pull/70#c-2"));
      world.settle();

      assertThat(world.runs.runs()).hasSize(2);
      assertThat(world.runs.followUps()).isEmpty();
    }

    @Test
    void commentStartsANewRunIfTheOldOneCannotContinue() {
      world.runs.answersNext(new Outcome.Refused("gone", "It is over.", Optional.empty()));
      world.says(comments("2", say("rename the button")));
      world.settle();

      assertThat(world.runs.runs()).hasSize(2);
      assertThat(world.surface.kinds(PULL_REQUEST)).containsExactly("Message", "Status");

      world.says(comments("3", say("and the title")));
      world.settle();
      assertThat(world.runs.followUps())
          .singleElement()
          .satisfies(said -> assertThat(said.run()).isEqualTo(world.runs.runs().getLast().id()));
    }

    @Test
    void statusIsPostedWhereItWasRequested() {
      world.says(comments("2", new Intent.Status(Optional.empty())));
      world.settle();

      // Not what was answered in its thread, which others read.
      assertThat(world.surface.told(PULL_REQUEST)).containsExactly("✅ Finished.");
    }

    @Test
    void labelOnThePullRequestStartsANewRun() {
      world.says(comments("2", start("review this")));
      world.settle();

      assertThat(world.runs.runs()).hasSize(2);
      assertThat(world.surface.kinds(PULL_REQUEST)).containsExactly("Status");
    }
  }

  @Test
  void answerOnThePullRequestShowsNothingElseOfTheThread() {
    assertThat(world.onlyRun().title()).isNotBlank();
    world.says(comments("2", say("rename the button")));
    world.settle();
    ends(RunState.SUCCEEDED, "Renamed.");

    var answer = (Update.Succeeded) world.surface.posts(PULL_REQUEST).getFirst().update();
    assertThat(answer.run().title()).isEmpty();
    assertThat(answer.run().artifacts()).isEmpty();
    assertThat(answer.run().message()).contains("Renamed.");
  }

  @Test
  void personWithoutAccessToTheRunCannotReachItFromThePullRequest() {
    world.surface.turnsAway(THREAD);
    world.says(comments("2", say("rename the button")));
    world.says(comments("3", cancel()));
    world.settle();

    assertThat(world.runs.followUps()).isEmpty();
    assertThat(world.runs.cancels()).isEmpty();
  }

  @Nested
  class WithRulesForPlaces {
    private static Rule everythingIn(String place, boolean isPermitted) {
      return new Rule(
          "policy.rules[" + place + "]",
          List.of(Rule.ANY),
          List.of(place),
          EnumSet.allOf(Permission.class),
          isPermitted,
          Set.of(),
          Set.of());
    }

    private void obeys(Rule... rules) {
      world.obeys(new Policy(Map.of(), List.of(rules), List.of(), List.of()));
    }

    private void commentsAndStops(Conversation pullRequest) {
      world.says(comments("2", say("rename the button")).movedTo(pullRequest));
      world.settle();
      world.says(comments("3", cancel()).movedTo(pullRequest));
      world.settle();
    }

    private Conversation onAnotherPlatform() {
      return new Conversation(world.elsewhere.id(), "acme/shop#7");
    }

    @Test
    void permissionForThePullRequestAloneDoesNotReachTheRun() {
      obeys(everythingIn("fake:acme/*", true));

      commentsAndStops(PULL_REQUEST);

      assertThat(world.runs.followUps()).isEmpty();
      assertThat(world.runs.cancels()).isEmpty();
    }

    @Test
    void permissionOnAPullRequestOfAnotherPlatformIsSufficient() {
      obeys(everythingIn("elsewhere:acme/*", true));

      commentsAndStops(onAnotherPlatform());

      assertThat(world.runs.followUps()).hasSize(1);
      assertThat(world.runs.cancels()).hasSize(1);
    }

    @Test
    void refusingRuleOfTheRunsPlaceAppliesOnAnotherPlatformToo() {
      obeys(everythingIn("fake:team/channel", false), everythingIn(Rule.ANY, true));

      commentsAndStops(onAnotherPlatform());

      assertThat(world.runs.followUps()).isEmpty();
      assertThat(world.runs.cancels()).isEmpty();
    }

    @Test
    void sameNamedAccountOfAnotherPlatformCannotStopTheRun() {
      obeys(
          new Rule(
              "policy.rules[0]",
              List.of(Rule.ANY),
              List.of(Rule.ANY),
              EnumSet.of(Permission.STOP_OWN),
              true,
              Set.of(),
              Set.of()));

      world.says(namedLikeTheRequester("elsewhere:2", onAnotherPlatform()));
      world.settle();
      assertThat(world.runs.cancels()).isEmpty();

      world.says(namedLikeTheRequester("fake:3", PULL_REQUEST));
      world.settle();
      assertThat(world.runs.cancels()).containsExactly(world.onlyRun().id());
    }

    private Delivery namedLikeTheRequester(String id, Conversation pullRequest) {
      return new Delivery(
          new DeliveryId(id),
          "said:" + id,
          pullRequest,
          DANA,
          cancel(),
          true,
          comments("2", cancel()).origin(),
          world.clock.instant());
    }
  }

  @Nested
  class ThatItOnlyMentions {
    private static final String OF_OTHERS = "https://git.example/acme/shop/pull/8";

    @Test
    void commentOnAMentionedPullRequestDoesNotReachTheRun() {
      world.runs.makes(
          world.onlyRun().id(), new Artifact("acme/shop#8", URI.create(OF_OTHERS), true));
      world.settle();
      world.says(comments("2", say("rename the button"), OF_OTHERS + "#issuecomment-2"));
      world.settle();

      assertThat(world.runs.followUps()).isEmpty();
      assertThat(world.runs.runs()).hasSize(2);
    }

    @Test
    void stopOnAMentionedPullRequestStopsNothing() {
      world.runs.makes(
          world.onlyRun().id(), new Artifact("acme/shop#8", URI.create(OF_OTHERS), true));
      world.settle();
      world.says(comments("2", cancel(), OF_OTHERS + "#issuecomment-2"));
      world.settle();

      assertThat(world.runs.cancels()).isEmpty();
    }
  }

  @Nested
  class WhileItWorks {
    @Test
    void endAfterACommentIsPostedInTheThreadAndOnThePullRequest() {
      world.says(comments("2", say("rename the button")));
      world.settle();
      ends(RunState.SUCCEEDED, "All done.");

      assertThat(world.surface.kinds(PULL_REQUEST)).containsExactly("Succeeded");
      assertThat(world.surface.kinds(THREAD)).containsExactly("Status", "Succeeded");
    }

    @Test
    void stopOnThePullRequestStopsTheRun() {
      world.says(comments("2", cancel()));
      world.settle();

      assertThat(world.runs.cancels()).containsExactly(world.onlyRun().id());
    }

    @Test
    void closingThePullRequestDoesNotStopTheRun() {
      var closed = new Intent.Cancel(Optional.empty(), Optional.of("closed the pull request"));
      var said = comments("2", closed);
      world.says(
          said.withIntent(closed)
              .withAddressed(false)
              .withOrigin(
                  new Origin(said.origin().link(), Optional.empty(), Optional.empty(), false)));
      world.settle();

      assertThat(world.runs.cancels()).isEmpty();
      assertThat(world.surface.posts(PULL_REQUEST)).isEmpty();
    }

    @Test
    void refusalOfACommentIsPostedOnThePullRequestAlone() {
      world.runs.answersNext(new Outcome.Refused("no", "It takes no words.", Optional.empty()));
      world.says(comments("2", say("rename the button")));
      world.settle();
      ends(RunState.SUCCEEDED, "Done.");

      assertThat(world.surface.told(PULL_REQUEST)).containsExactly("It takes no words.");
      assertThat(world.surface.kinds(PULL_REQUEST)).containsExactly("Message");
      assertThat(world.surface.kinds(THREAD)).containsExactly("Status", "Succeeded");
    }

    @Test
    void answerIsPostedOnThePullRequestEvenAfterARestart() {
      world.says(comments("2", say("rename the button")));
      world.settle();
      world.restart(UnaryOperator.identity());
      ends(RunState.SUCCEEDED, "All done.");

      assertThat(world.surface.kinds(PULL_REQUEST)).containsExactly("Succeeded");
    }
  }

  private Update.Status statusIn(Conversation conversation) {
    return world.surface.posts(conversation).stream()
        .map(post -> post.update())
        .filter(Update.Status.class::isInstance)
        .map(Update.Status.class::cast)
        .reduce((_, newer) -> newer)
        .orElseThrow();
  }
}
