package dev.runnel.core;

import static dev.runnel.testkit.Samples.OTHER_THREAD;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.cancel;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.World;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The platform does not accept our credential for a while.
class HoldTest {
  private static final Optional<String> WHY = Optional.of("The fake does not accept the token.");

  @TempDir Path folder;
  private World world;

  @BeforeEach
  void open() {
    world = new World(folder);
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void aCommandOfLastWeekStartsItsRunWhenTheCredentialWorksAgain() {
    world.surface.refusesCredential(WHY);
    world.says(command("1"));
    world.settle();
    assertThat(world.problem()).isEqualTo(WHY);

    world.clock.advance(Duration.ofDays(7));
    world.settle();
    assertThat(world.runs.runs()).isEmpty();

    world.surface.refusesCredential(Optional.empty());
    world.recovers();
    world.settle();

    assertThat(world.problem()).isEmpty();
    assertThat(world.surface.opens()).isOne();
    assertThat(world.runs.runs()).hasSize(1);
  }

  @Test
  void refusedCredentialCausesOnlyOneCall() {
    world.surface.refusesCredential(WHY);
    for (int i = 0; i < 20; i++) {
      world.says(command("" + i));
    }
    world.settle();
    world.passes(Duration.ofMinutes(5));

    assertThat(world.surface.refusals()).isOne();
  }

  @Test
  void platformIsCheckedAtABoundedRate() {
    world.surface.refusesCredential(WHY);
    for (int second = 0; second < 60; second++) {
      world.clock.advance(Duration.ofSeconds(1));
      world.recovers();
    }

    assertThat(world.surface.asked()).isBetween(2, 5);
  }

  @Test
  void waitingPostsAreSentTogetherAfterTheHold() {
    for (int i = 0; i < 5; i++) {
      world.says(
          delivery(
              "" + i, start("fix it"), new Conversation(Samples.SURFACE, "team/channel/" + i)));
    }
    world.settle();
    var runs = world.runs.runs();
    world.surface.refusesCredential(WHY);
    runs.forEach(run -> world.runs.moves(run.id(), RunState.SUCCEEDED, "Fixed."));
    world.leaps(Duration.ofDays(2));
    var before = world.surface.posts().size();

    world.surface.refusesCredential(Optional.empty());
    world.recovers();
    world.settle();

    assertThat(world.surface.posts()).hasSize(before + 5);
  }

  @Test
  void postsHeldForDaysSurviveALaterRateLimit() {
    world.says(delivery("1", start("fix it")));
    world.settle();
    world.surface.refusesCredential(WHY);
    world.runs.moves(world.onlyRun().id(), RunState.SUCCEEDED, "Fixed.");
    world.passes(Duration.ofSeconds(5));
    world.leaps(Duration.ofDays(2));
    var before = world.surface.posts().size();

    world.surface.refusesCredential(Optional.empty());
    world.recovers();
    world.surface.answersPosts(
        Optional.of(new Posting.Later(Optional.of(Duration.ofSeconds(1)), "429")));
    world.passes(Duration.ofSeconds(3));
    world.surface.answersPosts(Optional.empty());
    world.passes(Duration.ofSeconds(5));

    assertThat(world.surface.posts()).hasSize(before + 1);
  }

  @Test
  void oldHeldCommandSurvivesALaterOutageOfTheRunService() {
    world.surface.refusesCredential(WHY);
    world.says(command("1"));
    world.settle();
    world.clock.advance(Duration.ofDays(7));

    world.runs.isDown(Optional.empty());
    world.surface.refusesCredential(Optional.empty());
    world.recovers();
    world.passes(Duration.ofSeconds(10));
    world.runs.isBack();
    world.passes(Duration.ofMinutes(2));

    assertThat(world.runs.runs()).hasSize(1);
  }

  @Test
  void stopDoesNotWaitForTheHold() {
    world.says(delivery("1", start("fix it")));
    world.settle();
    world.surface.refusesCredential(WHY);
    world.recovers();

    // The platform is not asked who may stop.
    world.says(delivery("2", start("something else"), OTHER_THREAD));
    world.settle();
    world.surface.refusesCredential(Optional.empty());
    world.says(delivery("3", cancel(), THREAD));
    world.settle();

    assertThat(world.problem()).isPresent();
    assertThat(world.onlyRun().state()).isEqualTo(RunState.CANCELLED);
  }

  @Test
  void restartWithACorrectedTokenEndsTheHoldAtOnce() {
    world.surface.refusesCredential(WHY);
    world.says(command("1"));
    world.settle();
    world.recovers();

    world.restart(store -> store);
    assertThat(world.problem()).isEqualTo(WHY);
    world.surface.refusesCredential(Optional.empty());
    world.recovers();
    world.settle();

    assertThat(world.runs.runs()).hasSize(1);
  }

  @Test
  void wrongTokenIsNoticedBeforeTheFirstMessage() {
    world.surface.refusesCredential(WHY);

    world.recovers();

    assertThat(world.problem()).isEqualTo(WHY);
  }

  private static Delivery command(String id) {
    return new Delivery(
        new DeliveryId("fake:" + id),
        "said:" + id,
        new Conversation(Samples.SURFACE, "team/channel/~" + id),
        Samples.DANA,
        start("fix the test"),
        true,
        new Origin(Optional.empty(), Optional.of("reply"), Optional.empty(), true),
        Samples.NINE);
  }
}
