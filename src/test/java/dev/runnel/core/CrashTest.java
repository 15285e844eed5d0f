package dev.runnel.core;

import static dev.runnel.testkit.Samples.cancel;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.Store;
import dev.runnel.testkit.DyingStore;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.World;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The process dies before and after every commit of a story; after a restart the end is the same
/// as if it had lived: one run, each message once.
@Tag("slow")
class CrashTest {
  private static final Conversation THREAD =
      new Conversation(Samples.SURFACE, "team/channel/opened-1");

  private static final int AT_ONCE = 4;

  @TempDir Path folder;

  @Test
  void startHappensOnceAndItsEndIsReportedOnce() throws Exception {
    everyCrash(
        world -> {
          world.says(command("1"));
          world.settle();
          world.runs.moves(world.onlyRun().id(), RunState.SUCCEEDED, "Fixed.");
          world.passes(Duration.ofSeconds(2));
        },
        world -> {
          if (world.onlyRun().state() != RunState.SUCCEEDED) {
            world.runs.moves(world.onlyRun().id(), RunState.SUCCEEDED, "Fixed.");
          }
          world.passes(Duration.ofSeconds(5));
          assertThat(world.surface.opens()).isOne();
          assertThat(world.surface.kinds(THREAD)).containsExactly("Status", "Succeeded");
        });
  }

  @Test
  void stopHappensOnceAndIsReportedOnce() throws Exception {
    everyCrash(
        world -> {
          world.says(command("1"));
          world.settle();
          world.says(delivery("2", cancel(), THREAD));
          world.settle();
        },
        world -> {
          world.says(delivery("2", cancel(), THREAD));
          world.passes(Duration.ofSeconds(5));
          assertThat(world.onlyRun().state()).isEqualTo(RunState.CANCELLED);
          assertThat(world.surface.kinds(THREAD)).containsExactly("Status", "Cancelled");
        });
  }

  @Test
  void replyAfterTheEndReachesTheRunOnceAndTheNextEndIsReported() throws Exception {
    everyCrash(
        world -> {
          world.says(command("1"));
          world.settle();
          ends(world, 0);
          world.says(delivery("2", say("add a test"), THREAD));
          world.settle();
          ends(world, 1);
        },
        world -> {
          ends(world, 0);
          world.says(delivery("2", say("add a test"), THREAD));
          world.passes(Duration.ofSeconds(5));
          ends(world, 1);
          assertThat(world.runs.runs()).hasSize(1);
          assertThat(world.runs.followUps()).extracting("text").containsExactly("add a test");
          assertThat(world.surface.kinds(THREAD))
              .containsExactly("Status", "Succeeded", "Succeeded");
        });
  }

  @Test
  void replyReachesARunningAgentOnceDespiteACrash() throws Exception {
    everyCrash(
        world -> {
          world.says(command("1"));
          world.settle();
          world.says(delivery("2", say("and the docs"), THREAD));
          world.settle();
        },
        world -> {
          world.says(delivery("2", say("and the docs"), THREAD));
          world.passes(Duration.ofSeconds(5));
          ends(world, 1);
          assertThat(world.runs.runs()).hasSize(1);
          assertThat(world.runs.followUps()).extracting("text").containsExactly("and the docs");
          assertThat(world.surface.kinds(THREAD)).containsExactly("Status", "Succeeded");
        });
  }

  @Test
  void waitingMessagesReachTheAgentOnceTogetherDespiteACrash() throws Exception {
    everyCrash(
        world -> {
          world.says(command("1"));
          world.settle();
          world.runs.losesNextAnswer();
          saysAll(world);
          world.settle();
        },
        world -> {
          saysAll(world);
          world.passes(Duration.ofSeconds(8));
          ends(world, world.runs.followUps().size());
          assertThat(world.runs.runs()).hasSize(1);
          assertThat(world.runs.followUps().stream().map(each -> each.text()).toList())
              .as("all of it, once and in its order")
              .satisfies(
                  all ->
                      assertThat(String.join("\n\n", all))
                          .isEqualTo("and the docs\n\nin English\n\nplease"));
          for (var id : List.of("2", "3", "4")) {
            assertThat(world.surface.signs(new PostRef("message-" + id)))
                .containsExactly(MessageStatus.DELIVERED);
          }
        });
  }

  private static void saysAll(World world) {
    world.says(delivery("2", say("and the docs"), THREAD));
    world.says(delivery("3", say("in English"), THREAD));
    world.says(delivery("4", say("please"), THREAD));
  }

  @Test
  void questionIsPostedOnceAndItsAnswerArrivesOnce() throws Exception {
    everyCrash(
        world -> {
          world.says(command("1"));
          world.settle();
          asks(world);
          world.says(delivery("2", say("main"), THREAD));
          world.settle();
        },
        world -> {
          asks(world);
          world.says(delivery("2", say("main"), THREAD));
          world.passes(Duration.ofSeconds(5));
          ends(world, 1);
          assertThat(world.runs.runs()).hasSize(1);
          assertThat(world.runs.followUps()).extracting("text").containsExactly("main");
          assertThat(world.surface.kinds(THREAD))
              .containsExactly("Status", "QuestionClosed", "Succeeded");
        });
  }

  @Test
  void stopAfterAReplyTakesEffectDespiteACrash() throws Exception {
    everyCrash(
        world -> {
          world.says(command("1"));
          world.settle();
          ends(world, 0);
          world.says(delivery("2", say("add a test"), THREAD));
          world.settle();
          world.says(delivery("3", cancel(), THREAD));
          world.settle();
        },
        world -> {
          ends(world, 0);
          world.says(delivery("2", say("add a test"), THREAD));
          world.passes(Duration.ofSeconds(5));
          world.says(delivery("3", cancel(), THREAD));
          world.passes(Duration.ofSeconds(5));
          assertThat(world.onlyRun().state()).isEqualTo(RunState.CANCELLED);
          assertThat(world.runs.followUps()).hasSize(1);
          assertThat(world.surface.kinds(THREAD))
              .containsExactly("Status", "Succeeded", "Cancelled");
        });
  }

  /// The agent comes to its end, unless it did before the crash.
  ///
  /// @param followUps how many it has been told by then
  private static void ends(World world, int followUps) {
    var run = world.onlyRun();
    if (!run.state().isTerminal() && world.runs.followUps().size() == followUps) {
      world.runs.moves(run.id(), RunState.SUCCEEDED, "Done.");
    }
    world.passes(Duration.ofSeconds(2));
  }

  private static void asks(World world) {
    var run = world.onlyRun();
    if (run.state() != RunState.BLOCKED && world.runs.followUps().isEmpty()) {
      world.runs.moves(run.id(), RunState.BLOCKED, "Which branch?");
    }
    world.passes(Duration.ofSeconds(2));
  }

  /// At every commit until the story comes to its end; several at once, for they mostly wait for
  /// the disk.
  private void everyCrash(Consumer<World> story, Consumer<World> afterwards) throws Exception {
    for (var afterIt : new boolean[] {false, true}) {
      var next = new AtomicInteger(1);
      var lived = new AtomicBoolean();
      Callable<Void> worker =
          () -> {
            while (!lived.get()) {
              if (!dies(next.getAndIncrement(), afterIt, story, afterwards)) {
                lived.set(true);
              }
            }
            return null;
          };
      try (var workers = Executors.newFixedThreadPool(AT_ONCE)) {
        for (var done : workers.invokeAll(Collections.nCopies(AT_ONCE, worker))) {
          done.get();
        }
      }
    }
  }

  /// @return whether the story has that many commits
  private boolean dies(
      int commit, boolean afterIt, Consumer<World> story, Consumer<World> afterwards)
      throws Exception {
    if (commit > 200) {
      fail("The story never ends");
    }
    try (var world = new World(Files.createTempDirectory(folder, "world"))) {
      world.restart(store -> new DyingStore(store, commit, afterIt));
      var died = false;
      try {
        story.accept(world);
      } catch (DyingStore.ProcessDied _) {
        died = true;
      }
      UnaryOperator<Store> alive = UnaryOperator.identity();
      world.restart(alive);
      world.passes(Duration.ofSeconds(5));
      afterwards.accept(world);
      return died;
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("Died " + (afterIt ? "after" : "before") + " commit " + commit, e);
    }
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
