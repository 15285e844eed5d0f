package dev.runnel.core;

import static dev.runnel.core.ThreadTalk.begins;
import static dev.runnel.testkit.Samples.OTHER_THREAD;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.run.Run;
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

/// The platform asks for a pause.
class PauseTest {
  private static final Optional<Posting> SLOW_DOWN =
      Optional.of(new Posting.Later(Optional.of(Duration.ofSeconds(30)), "429"));

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
  void platformIsNotCalledDuringThePause() {
    world.surface.answersPosts(SLOW_DOWN);
    world.says(delivery("1", start("fix the test")));
    world.settle();
    var calls = world.surface.calls();

    world.says(delivery("2", start("add a test"), OTHER_THREAD));
    world.says(command("3"));
    world.passes(Duration.ofSeconds(29));
    assertThat(world.surface.calls()).isEqualTo(calls);

    world.surface.answersPosts(Optional.empty());
    world.passes(Duration.ofSeconds(15));
    assertThat(world.surface.kinds(THREAD)).containsExactly("Status");
    assertThat(world.surface.kinds(OTHER_THREAD)).containsExactly("Status");
    assertThat(world.surface.opens()).isOne();
  }

  @Test
  void postsAfterAPauseAreOneSecondApart() {
    world.surface.answersPosts(SLOW_DOWN);
    for (int i = 0; i < 5; i++) {
      world.says(delivery("" + i, start("fix it"), thread(i)));
    }
    world.settle();
    world.surface.answersPosts(Optional.empty());
    world.passes(Duration.ofSeconds(29));

    var before = world.surface.posts().size();
    for (int second = 1; second <= 10; second++) {
      world.passes(Duration.ofSeconds(1));
      assertThat(world.surface.posts().size()).isLessThanOrEqualTo(before + second);
    }
    assertThat(world.surface.posts()).hasSize(5);
  }

  /// A run reports each second, before, during and after the pause.
  @Test
  void progressReportsUseOneSlotAfterAPause() {
    var run = begins(world, RunState.RUNNING);
    world.surface.answersPosts(SLOW_DOWN);
    world.says(delivery("2", start("add a test"), OTHER_THREAD));
    world.settle();
    world.surface.answersPosts(Optional.empty());
    reports(run, 29);
    var before = world.surface.posts(THREAD).getFirst().edits();

    reports(run, 10);

    assertThat(world.surface.posts(THREAD).getFirst().edits()).isGreaterThan(before);
    world.runs.moves(run.id(), RunState.SUCCEEDED, "Fixed.");
    world.passes(Duration.ofSeconds(5));
    assertThat(world.surface.kinds(THREAD)).containsExactly("Status", "Succeeded");
    assertThat(world.surface.kinds(OTHER_THREAD)).containsExactly("Status");
  }

  private void reports(Run run, int seconds) {
    for (int second = 1; second <= seconds; second++) {
      world.runs.moves(run.id(), RunState.RUNNING, "step " + second);
      world.passes(Duration.ofSeconds(1));
    }
  }

  @Test
  void aPauseOfEditsDelaysNewPostsNowhereAndEditsEverywhere() {
    var run = begins(world, RunState.RUNNING);
    world.says(delivery("2", start("add a test"), OTHER_THREAD));
    world.settle();
    world.surface.answersEdits(SLOW_DOWN);
    world.runs.moves(run.id(), RunState.RUNNING, "step 1");
    world.settle();
    var calls = world.surface.calls();

    var other = world.runs.runs().getLast();
    world.runs.moves(other.id(), RunState.RUNNING, "step 1");
    world.settle();
    assertThat(world.surface.calls()).isEqualTo(calls);

    var third = thread(3);
    world.says(delivery("3", start("fix it"), third));
    world.settle();
    assertThat(world.surface.kinds(third)).containsExactly("Status");
  }

  @Test
  void pauseSurvivesARestart() {
    world.surface.answersPosts(SLOW_DOWN);
    world.says(delivery("1", start("fix the test")));
    world.settle();
    var calls = world.surface.calls();

    world.restart(store -> store);
    world.says(delivery("2", start("add a test"), OTHER_THREAD));
    world.passes(Duration.ofSeconds(29));

    assertThat(world.surface.calls()).isEqualTo(calls);
  }

  private static Conversation thread(int number) {
    return new Conversation(Samples.SURFACE, "team/channel/" + number);
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
