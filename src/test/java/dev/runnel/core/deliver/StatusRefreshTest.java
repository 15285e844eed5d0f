package dev.runnel.core.deliver;

import static dev.runnel.core.ThreadTalk.begins;
import static dev.runnel.testkit.Samples.THREAD;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Update;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.World;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a surface shows of a run's work, where it fades by itself.
class StatusRefreshTest {
  private static final Duration FADES = Duration.ofSeconds(90);

  @TempDir Path folder;
  private World world;

  @BeforeEach
  void open() {
    world = new World(folder);
    world.surface.fadesAfter(FADES);
  }

  @AfterEach
  void close() {
    world.close();
  }

  private List<RunState> repeats() {
    return world.surface.repeats().stream().map(it -> it.run().state()).toList();
  }

  @Test
  void statusIsRepeatedAsLongAsTheRunWorks() {
    begins(world, RunState.RUNNING);
    assertThat(repeats()).isEmpty();

    world.leaps(FADES);
    assertThat(repeats()).containsExactly(RunState.RUNNING);
    world.leaps(FADES);
    world.leaps(FADES);

    assertThat(repeats()).hasSize(3);
    assertThat(world.surface.posts(THREAD)).hasSize(1);
  }

  @Test
  void repeatedStatusShowsTheElapsedTime() {
    begins(world, RunState.RUNNING);

    world.leaps(FADES);

    var repeat = world.surface.repeats().getFirst();
    assertThat(Duration.between(repeat.since(), repeat.at())).isGreaterThanOrEqualTo(FADES);
  }

  @Test
  void newStatusRestartsTheRefreshInterval() {
    begins(world, RunState.RUNNING);
    world.leaps(Duration.ofSeconds(60));
    world.runs.moves(world.onlyRun().id(), RunState.RUNNING, "Testing");
    world.passes(Duration.ofSeconds(2));

    world.leaps(Duration.ofSeconds(60));
    assertThat(repeats()).isEmpty();
    world.leaps(Duration.ofSeconds(31));

    assertThat(repeats()).hasSize(1);
    assertThat(world.surface.repeats().getFirst().run().message()).contains("Testing");
  }

  @Test
  void endIsRepeatedOnce() {
    begins(world, RunState.RUNNING);
    world.runs.moves(world.onlyRun().id(), RunState.SUCCEEDED, "Fixed.");
    world.passes(Duration.ofSeconds(2));

    for (int i = 0; i < 5; i++) {
      world.leaps(FADES);
    }

    assertThat(repeats()).containsExactly(RunState.SUCCEEDED);
  }

  @Test
  void statusOfABlockedRunIsRefreshedOnlyOnce() {
    begins(world, RunState.BLOCKED);

    for (int i = 0; i < 5; i++) {
      world.leaps(FADES);
    }

    assertThat(repeats()).containsExactly(RunState.BLOCKED);
  }

  @Test
  void statusRefreshSurvivesARestart() {
    begins(world, RunState.RUNNING);
    world.restart(UnaryOperator.identity());

    world.leaps(FADES);

    assertThat(repeats()).hasSize(1);
  }

  @Test
  void statusIsNotRepeatedWhereStatusesDoNotExpire() throws Exception {
    world.close();
    world = new World(Files.createDirectory(folder.resolve("other")));
    begins(world, RunState.RUNNING);

    world.leaps(Duration.ofHours(1));

    assertThat(world.surface.repeats()).isEmpty();
    assertThat(world.surface.posts(THREAD).getFirst().update()).isInstanceOf(Update.Status.class);
  }
}
