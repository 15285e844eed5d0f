package dev.runnel.core.recovery;

import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.World;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A service is back after an outage that was long enough for all that waits to wait a minute.
class RecoveryTest {
  private static final int WAITING = 5;
  private static final Duration OUTAGE = Duration.ofSeconds(150);

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
  void successfulCallToTheRunServiceStartsAllWaitingRuns() {
    outOfRuns();
    world.runs.isBack();

    world.says(delivery("new", start("fix it"), thread("new")));
    world.settle();

    assertThat(world.runs.runs()).hasSize(WAITING + 1);
  }

  @Test
  void recoveryCheckStartsWaitingRunsWithoutOtherCalls() {
    outOfRuns();
    world.runs.isBack();

    world.recovers();
    world.settle();

    assertThat(world.runs.runs()).hasSize(WAITING);
  }

  @Test
  void successfulPostReleasesAllWaitingPosts() {
    world.surface.answersPosts(Optional.of(new Posting.Later(Optional.empty(), "503")));
    startAll();
    world.passes(OUTAGE);
    world.surface.answersPosts(Optional.empty());

    world.says(delivery("new", start("fix it"), thread("new")));
    world.settle();

    assertThat(world.surface.posts()).hasSize(WAITING + 1);
  }

  @Test
  void nodeStartedAfterTheOutageStartsAllWaitingRuns() {
    outOfRuns();
    world.runs.isBack();
    world.restart(store -> store);

    world.recovers();
    world.settle();

    assertThat(world.runs.runs()).hasSize(WAITING);
  }

  @Test
  void unstableServiceIsCalledOnlyOncePerCheck() {
    outOfRuns();
    for (int i = 0; i < 5; i++) {
      world.runs.isBack();
      world.recovers();
      world.runs.isDown(Optional.empty());
      world.settle();
    }
    var before = world.runs.calls();
    world.runs.isBack();
    world.recovers();
    world.runs.isDown(Optional.empty());
    world.settle();

    // Whether it is there is asked, and nothing else.
    assertThat(world.runs.calls() - before).isLessThanOrEqualTo(1);
  }

  private void outOfRuns() {
    world.runs.isDown(Optional.empty());
    startAll();
    world.passes(OUTAGE);
  }

  private void startAll() {
    for (int i = 0; i < WAITING; i++) {
      world.says(delivery("" + i, start("fix it"), thread("" + i)));
    }
    world.settle();
  }

  private static Conversation thread(String name) {
    return new Conversation(Samples.SURFACE, "team/channel/" + name);
  }
}
