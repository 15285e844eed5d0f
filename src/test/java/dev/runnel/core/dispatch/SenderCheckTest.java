package dev.runnel.core.dispatch;

import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.cancel;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.ConversationPolicy;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.policy.Rule;
import dev.runnel.testkit.World;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The platform knows who may ask, and what was said does not.
class SenderCheckTest {
  @TempDir Path folder;
  private World world;

  @BeforeEach
  void open() {
    world = new World(folder);
    world.surface.hasManners(
        new ConversationPolicy(ConversationPolicy.Audience.EVERYONE, Duration.ZERO, true));
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void turnedAwaySenderStartsNothingAndGetsNoReply() {
    world.surface.admits(new Admission.TurnedAway("a stranger"));

    world.says(delivery("1", start("mine a coin")));
    world.settle();
    world.surface.admits(Admission.ADMITTED);
    world.passes(Duration.ofHours(1));

    assertThat(world.surface.posts()).isEmpty();
    assertThat(world.runs.runs()).isEmpty();
  }

  @Test
  void senderFromAnotherPlatformIsNotCheckedByThePlatformOfTheThread() {
    world.says(delivery("1", start("fix it")));
    world.settle();
    world.surface.admits(new Admission.TurnedAway("a stranger"));

    world.says(
        new Delivery(
            new DeliveryId("elsewhere:1"),
            "elsewhere:1",
            THREAD,
            new Actor("E1", "eve"),
            new Intent.Cancel(Optional.of(world.onlyRun().id()), Optional.empty()),
            true,
            Origin.NONE,
            world.clock.instant()));
    world.settle();

    assertThat(world.runs.cancels()).containsExactly(world.onlyRun().id());
  }

  @Test
  void deliveryWaitsWhileTheSenderCannotBeChecked() {
    world.surface.admits(
        new Admission.Unknown(Optional.of(Duration.ofSeconds(30)), "The platform is down"));

    world.says(delivery("1", start("fix it")));
    world.settle();
    assertThat(world.surface.posts()).isEmpty();

    world.surface.admits(Admission.ADMITTED);
    world.passes(Duration.ofMinutes(1));
    assertThat(world.surface.kinds(THREAD)).containsExactly("Status");
  }

  /// A rule may refuse a group what a later rule permits.
  @Test
  void deliveryWaitsWhileTheGroupsOfTheSenderAreUnknown() {
    world.obeys(
        new Policy(
            Map.of(),
            List.of(mayStart("fake:contractors", false), mayStart("fake:members", true)),
            List.of(),
            List.of()));
    world.surface.knowsNoGroups();

    world.says(delivery("1", start("fix it")));
    world.settle();
    assertThat(world.runs.runs()).isEmpty();

    world.surface.hasInGroups("contractors");
    world.passes(Duration.ofMinutes(1));
    assertThat(world.runs.runs()).isEmpty();
  }

  private static Rule mayStart(String who, boolean isPermitted) {
    return new Rule(
        "policy.rules[" + who + "]",
        List.of(who),
        List.of(Rule.ANY),
        EnumSet.of(Permission.START),
        isPermitted,
        Set.of(),
        Set.of());
  }

  @Nested
  class WhoIsRefused {
    private static final String WHO_MAY = "Only members may do that.";

    private void refuses() {
      world.surface.admits(new Admission.Refused("a guest", WHO_MAY));
    }

    @Test
    void refusedSenderIsInformedPrivatelyAndStartsNothing() {
      refuses();
      world.says(delivery("1", start("mine a coin")));
      world.settle();

      assertThat(world.runs.runs()).isEmpty();
      assertThat(world.surface.posts())
          .singleElement()
          .satisfies(
              post -> assertThat(post.update()).isEqualTo(new Update.Message(DANA, WHO_MAY, true)));
    }

    @Test
    void messageOfARefusedSenderGetsNoStatus() {
      refuses();
      var said = delivery("1", say("mine a coin"));
      world.says(said);
      world.settle();

      assertThat(world.surface.signs(said.origin().message().orElseThrow())).isEmpty();
    }

    @Test
    void refusedSenderCannotStopTheRunOfOthers() {
      world.says(delivery("1", start("fix it")));
      world.settle();
      refuses();
      world.says(delivery("2", cancel()));
      world.settle();

      assertThat(world.runs.cancels()).isEmpty();
    }

    @Test
    void refusedSenderInTheThreadOfARunIsInformedOnce() {
      world.says(delivery("1", start("fix it")));
      world.settle();
      refuses();
      world.says(unaddressed(delivery("2", say("and mine a coin"))));
      world.says(unaddressed(delivery("3", say("please"))));
      world.settle();

      assertThat(world.runs.followUps()).isEmpty();
      assertThat(world.surface.told(THREAD)).containsExactly(WHO_MAY);
    }

    @Test
    void refusedSenderInAThreadWithoutARunGetsNoReply() {
      refuses();
      world.says(unaddressed(delivery("1", say("lunch?"))));
      world.settle();

      assertThat(world.surface.posts()).isEmpty();
    }

    private static Delivery unaddressed(Delivery said) {
      return said.withAddressed(false);
    }
  }
}
