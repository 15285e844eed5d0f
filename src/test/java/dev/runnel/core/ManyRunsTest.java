package dev.runnel.core;

import static dev.runnel.testkit.Samples.SURFACE;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.RunState;
import dev.runnel.testkit.World;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What many runs cost, and whether they are kept apart.
class ManyRunsTest {
  private static final int MANY = 200;

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

  private void starts(int count) {
    for (var i = 1; i <= count; i++) {
      var thread = new Conversation(SURFACE, "team/channel/" + i);
      world.says(delivery("d" + i, start("task " + i), thread));
    }
    world.settle();
  }

  private int callsInAMinute() {
    var before = world.runs.calls();
    for (var second = 0; second < 60; second++) {
      world.clock.advance(Duration.ofSeconds(1));
      world.watcher().step(world.clock.instant());
    }
    return world.runs.calls() - before;
  }

  @Test
  void hundredsOfRunsAreWatchedByAsManyCallsAsOne() {
    starts(1);
    var forOne = callsInAMinute();
    starts(MANY);
    assertThat(world.runs.runs()).hasSize(MANY);

    assertThat(callsInAMinute()).isLessThanOrEqualTo(forOne);

    var last = world.runs.runs().getLast();
    world.runs.moves(last.id(), RunState.SUCCEEDED, "Done.");
    world.clock.advance(Duration.ofSeconds(5));
    world.settle();
    assertThat(world.surface.kinds(new Conversation(SURFACE, "team/channel/" + MANY)))
        .containsExactly("Status", "Succeeded");
  }

  @Test
  void twoRequestsOfOneMomentAreTwoRuns() {
    starts(2);

    assertThat(world.runs.runs()).hasSize(2).extracting("id").doesNotHaveDuplicates();
    assertThat(world.runs.starts()).extracting("key").doesNotHaveDuplicates();
  }
}
