package dev.runnel.core;

import static dev.runnel.testkit.Samples.SURFACE;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.World;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
  void hundredsOfRunsNeedNoMoreCallsThanOne() {
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

  /// The edits of statuses in each second.
  private List<Integer> editsWhileAllTalk(int seconds) {
    var edits = new ArrayList<Integer>();
    for (var second = 0; second < seconds; second++) {
      for (var run : world.runs.runs()) {
        world.runs.moves(run.id(), RunState.RUNNING, "Line %d.".formatted(second));
      }
      var before = edits();
      world.passes(Duration.ofSeconds(1));
      edits.add(edits() - before);
    }
    return edits;
  }

  private int edits() {
    return world.surface.posts().stream().mapToInt(post -> post.edits()).sum();
  }

  private static int sum(List<Integer> edits, int from, int to) {
    return edits.subList(from, to).stream().mapToInt(Integer::intValue).sum();
  }

  @Test
  void frequentProgressCausesTwelveEditsAtFirstAndThenFourAMinute() {
    world.surface.countsEdits();
    starts(1);

    var edits = editsWhileAllTalk(180);

    assertThat(sum(edits, 0, 60)).isBetween(8, 12);
    assertThat(sum(edits, 60, 120)).isBetween(3, 4);
    assertThat(sum(edits, 120, 180)).isBetween(3, 4);
  }

  @Test
  void twentyActiveRunsShareTheEditBudgetAndTheirEndsDoNotWait() {
    var runs = 20;
    world.surface.countsEdits();
    starts(runs);

    var edits = editsWhileAllTalk(131);

    // Changes of state are not paced, so that each status is edited once.
    assertThat(edits.getFirst()).isEqualTo(runs);
    for (var from = 0; from + 60 <= edits.size(); from++) {
      assertThat(sum(edits, from, from + 60)).isLessThanOrEqualTo(25);
    }
    assertThat(sum(edits, 60, edits.size())).isGreaterThan(25);
    world.runs.runs().forEach(run -> world.runs.moves(run.id(), RunState.SUCCEEDED, "Done."));
    world.passes(Duration.ofSeconds(3));
    for (var i = 1; i <= runs; i++) {
      assertThat(world.surface.kinds(new Conversation(SURFACE, "team/channel/" + i)))
          .contains("Succeeded");
    }
  }

  @Test
  void twoSimultaneousRequestsStartTwoRuns() {
    starts(2);

    assertThat(world.runs.runs()).hasSize(2).extracting("id").doesNotHaveDuplicates();
    assertThat(world.runs.starts()).extracting("key").doesNotHaveDuplicates();
  }
}
