package dev.runnel.core.deliver;

import static dev.runnel.core.ThreadTalk.begins;
import static dev.runnel.core.ThreadTalk.now;
import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.THREAD;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.PostingLimits.EditBudget;
import dev.runnel.testkit.FakeSurface;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.World;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// How often the status of a run is edited that reports each second.
class StatusEditsTest {
  private static final EditBudget TEAM = new EditBudget("team", 25);

  @TempDir Path folder;
  private World world;

  @BeforeEach
  void open() {
    world = new World(folder);
    world.surface.countsEdits();
    begins(world, RunState.RUNNING);
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void statusEditsAreAtMostTwelveInTheFirstMinuteAndFourInTheNext() {
    reports(58);
    // Changes of state included.
    var first = status().edits();
    reports(60);

    assertThat(first).isBetween(8, 12);
    assertThat(status().edits() - first).isBetween(3, 4);
  }

  @Test
  void statusEditShowsTheLatestTextWhenItIsDue() {
    reports(3);
    assertThat(shown()).doesNotContain("step 3");
    world.passes(Duration.ofSeconds(6));

    assertThat(shown()).isEqualTo("step 3");
  }

  @Test
  void nameTheStateThatThePostShowsUntilThen() {
    world.runs.moves(world.onlyRun().id(), RunState.SUCCEEDED, "Fixed.");
    world.settle();

    assertThat(((Update.Status) status().update()).shown()).contains(RunState.RUNNING);
  }

  @Test
  void statusEditsDelayNeitherResultsNorAnswers() {
    reports(3);
    world.says(now(world, "9", DANA, new Intent.Status(Optional.empty())));
    world.settle();
    assertThat(world.surface.told(THREAD)).hasSize(1);

    world.runs.moves(world.onlyRun().id(), RunState.SUCCEEDED, "Fixed.");
    world.settle();

    assertThat(world.surface.kinds(THREAD)).containsExactly("Status", "Message", "Succeeded");
    assertThat(((Update.Status) status().update()).run().state()).isEqualTo(RunState.SUCCEEDED);
    world.passes(Duration.ofSeconds(30));
    assertThat(((Update.Status) status().update()).run().state()).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void statusEditsOfManyRunsAreLimitedWithoutDelayingTheirEnds() {
    for (int i = 2; i <= 20; i++) {
      world.says(Samples.delivery("run " + i, Samples.start("task " + i), thread(i)));
    }
    world.settle();
    var runs = world.runs.runs().stream().map(Run::id).toList();
    assertThat(runs).hasSize(20);
    var before = new ArrayDeque<Integer>();
    var mostInAMinute = 0;
    for (int second = 1; second <= 180; second++) {
      for (var run : runs) {
        world.runs.moves(run, RunState.RUNNING, "step " + second);
      }
      world.passes(Duration.ofSeconds(1));
      before.add(edits());
      if (before.size() > 60) {
        mostInAMinute = Math.max(mostInAMinute, edits() - before.remove());
      }
    }
    assertThat(mostInAMinute).isBetween(20, 25);

    runs.forEach(run -> world.runs.moves(run, RunState.SUCCEEDED, "Fixed."));
    world.settle();

    for (int i = 1; i <= 20; i++) {
      assertThat(world.surface.kinds(thread(i))).containsExactly("Status", "Succeeded");
    }
  }

  @Test
  void statusEditsThatWaitForTheBudgetKeepSeparateTimes() {
    var edits = new StatusEdits();
    var start = world.clock.instant();
    var statuses = IntStream.range(0, 100).mapToObj(i -> status("run " + i, start)).toList();
    statuses.forEach(status -> edits.posted(TEAM, status, start));
    var now = start.plusSeconds(20);

    var turns = statuses.stream().map(status -> edits.earliest(TEAM, status, now)).toList();
    var again = statuses.stream().map(status -> edits.earliest(TEAM, status, now)).toList();

    assertThat(again).isEqualTo(turns);
    assertThat(turns.stream().filter(at -> at.isAfter(start.plusSeconds(62))))
        .doesNotHaveDuplicates()
        .hasSizeGreaterThan(70);
    assertThat(turns).allMatch(at -> !at.isAfter(now.plusMillis(2_400 * 100)));
  }

  @Test
  void simultaneousStatusEditsCountTowardsTheBudget() {
    var edits = new StatusEdits();
    var start = world.clock.instant();
    var statuses = IntStream.range(0, 40).mapToObj(i -> status("run " + i, start)).toList();
    statuses.forEach(status -> edits.posted(TEAM, status, start));
    var now = start.plusSeconds(61);

    var turns = statuses.stream().map(status -> edits.earliest(TEAM, status, now)).toList();

    assertThat(turns.stream().filter(now::equals)).hasSize(TEAM.perMinute());
  }

  @Test
  void queuedStatusOfANewRunIsShownAfterThreeSeconds() {
    var edits = new StatusEdits();
    var start = world.clock.instant();
    var queued = status("run", start);
    var now = world.runs.moves(queued.run().id(), RunState.RUNNING, "step 1");
    var running = new Update.Status(now, DANA, Request.of("run"), start, start);

    assertThat(edits.earliest(TEAM, queued, start.plusSeconds(1))).isEqualTo(start.plusSeconds(3));
    assertThat(edits.earliest(TEAM, queued, start.plusSeconds(3))).isEqualTo(start.plusSeconds(3));
    assertThat(edits.earliest(TEAM, running, start.plusSeconds(1))).isEqualTo(start.plusSeconds(1));
  }

  private Update.Status status(String name, Instant since) {
    var run = world.runs.addsStranger(name);
    return new Update.Status(run, DANA, Request.of(name), since, since);
  }

  private static Conversation thread(int run) {
    return run == 1 ? THREAD : new Conversation(Samples.SURFACE, "team/channel/thread-" + run);
  }

  private int edits() {
    return IntStream.rangeClosed(1, 20)
        .map(run -> world.surface.posts(thread(run)).getFirst().edits())
        .sum();
  }

  private void reports(int seconds) {
    for (int i = 1; i <= seconds; i++) {
      world.runs.moves(world.onlyRun().id(), RunState.RUNNING, "step " + i);
      world.passes(Duration.ofSeconds(1));
    }
  }

  private String shown() {
    return ((Update.Status) status().update()).run().message().orElse("");
  }

  private FakeSurface.Post status() {
    return world.surface.posts(THREAD).getFirst();
  }
}
