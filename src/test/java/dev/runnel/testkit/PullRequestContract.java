package dev.runnel.testkit;

import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.PullRequestState;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.Surface;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What becomes of the pull request of a run, on every tracker that reports it: from the tracker's
/// deliveries to the run, and to the post that shows it.
public interface PullRequestContract {
  enum Event {
    OPENED,
    MADE_A_DRAFT,
    CLOSED,
    REOPENED,
    MERGED,
    CHECKS_FAILED,
    CHANGES_REQUESTED
  }

  Surface surface();

  /// The pull request of all events.
  URI pullRequest();

  /// @param id of the delivery
  RawRequest happened(Event event, String id);

  @Test
  default void theCardOfItsRunShowsItsState(@TempDir Path folder) {
    try (var world = with(folder, Optional.of("cart"))) {
      assertThat(shown(world)).isEmpty();
      for (var event : List.of(Event.OPENED, Event.CLOSED, Event.REOPENED, Event.MADE_A_DRAFT)) {
        happens(world, event, "d-" + event);
        assertThat(shown(world))
            .contains(
                switch (event) {
                  case CLOSED -> PullRequestState.CLOSED;
                  case MADE_A_DRAFT -> PullRequestState.DRAFT;
                  default -> PullRequestState.OPEN;
                });
      }
      happens(world, Event.MERGED, "d-merged");
      happens(world, Event.MERGED, "d-merged-again");

      assertThat(shown(world)).contains(PullRequestState.MERGED);
      assertThat(world.surface.told(THREAD))
          .containsExactly(
              "The cart was closed: " + pullRequest(), "The cart was merged: " + pullRequest());
      assertThat(world.runs.followUps()).isEmpty();
    }
  }

  @Test
  default void runGetsOneFollowUpForFailedChecks(@TempDir Path folder) {
    try (var world = with(folder, Optional.of("cart"))) {
      happens(world, Event.CHECKS_FAILED, "d1");
      happens(world, Event.CHECKS_FAILED, "d1");
      happens(world, Event.CHECKS_FAILED, "d2");

      assertThat(world.runs.followUps())
          .singleElement()
          .satisfies(
              told ->
                  assertThat(told.text())
                      .startsWith("The checks of the ")
                      .contains(" " + pullRequest() + " failed.\n\nThey ran on commit "));
      assertThat(world.surface.told(THREAD))
          .singleElement()
          .asString()
          .endsWith("failed. I passed it on to the agent (1 of 3).");
    }
  }

  @Test
  default void changeRequestReachesItsRunAndIsAnsweredOnThePullRequest(@TempDir Path folder) {
    try (var world = with(folder, Optional.of("cart"))) {
      var review = happens(world, Event.CHANGES_REQUESTED, "d1");
      happens(world, Event.CHANGES_REQUESTED, "d2");

      assertThat(world.runs.followUps())
          .singleElement()
          .satisfies(
              told ->
                  assertThat(told.text())
                      .startsWith(
                          review.actor().name() + " requested changes in a review: https://"));
      assertThat(world.runs.runs()).hasSize(1);
      world.runs.moves(world.onlyRun().id(), RunState.SUCCEEDED, "Renamed.");
      world.passes(Duration.ofSeconds(2));
      assertThat(world.elsewhere.kinds(there(world, review))).containsExactly("Succeeded");
    }
  }

  @Test
  default void changeRequestWithoutPermissionIsNotPassedOn(@TempDir Path folder) {
    try (var world = with(folder, Optional.of("cart"))) {
      world.elsewhere.turnsAway(there(world, read(Event.CHANGES_REQUESTED, "d1")));
      happens(world, Event.CHANGES_REQUESTED, "d1");

      assertThat(world.runs.followUps()).isEmpty();
      assertThat(world.runs.runs()).hasSize(1);
    }
  }

  @Test
  default void eventsOfAForeignPullRequestAreIgnored(@TempDir Path folder) {
    try (var world = with(folder, Optional.empty())) {
      for (var event : Event.values()) {
        happens(world, event, "d-" + event);
      }

      assertThat(world.runs.followUps()).isEmpty();
      assertThat(world.runs.runs()).hasSize(1);
      assertThat(world.surface.told(THREAD)).isEmpty();
      assertThat(world.elsewhere.posts()).isEmpty();
    }
  }

  /// A run that ended, and shows the pull request.
  ///
  /// @param branch the branch that it pushed; empty if it only mentions the pull request
  private World with(Path folder, Optional<String> branch) {
    var world = new World(folder);
    world.says(delivery("1", start("speed up the cart")));
    world.settle();
    world.runs.makes(world.onlyRun().id(), new Artifact("The cart", pullRequest(), true, branch));
    world.runs.moves(world.onlyRun().id(), RunState.SUCCEEDED, "Opened it.");
    world.passes(Duration.ofSeconds(2));
    return world;
  }

  private Delivery happens(World world, Event event, String id) {
    var delivery = read(event, id);
    world.says(delivery.movedTo(there(world, delivery)));
    world.passes(Duration.ofSeconds(10));
    return delivery;
  }

  private static Conversation there(World world, Delivery delivery) {
    return new Conversation(world.elsewhere.id(), delivery.conversation().key());
  }

  private Delivery read(Event event, String id) {
    return switch (surface().receive(happened(event, id))) {
      case WebhookResult.Accepted(var delivery, _) -> delivery;
      case WebhookResult.Answered _ -> throw new AssertionError(event + " is not understood");
      case WebhookResult.Rejected(_, var why) -> throw new AssertionError(why);
    };
  }

  private static Optional<PullRequestState> shown(World world) {
    var status = (Update.Status) world.surface.posts(THREAD).getFirst().update();
    return status.run().artifacts().getFirst().state();
  }

  /// The intent of an event of a pull request that needs work.
  static Intent.PullRequestNeeds needs(Delivery delivery) {
    return (Intent.PullRequestNeeds) delivery.intent();
  }
}
