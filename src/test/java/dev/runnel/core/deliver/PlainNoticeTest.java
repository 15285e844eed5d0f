package dev.runnel.core.deliver;

import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Update;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.World;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What cannot be rendered is told in plain words.
class PlainNoticeTest {
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
  void answerThatCannotBeRenderedIsPostedAsPlainText() {
    world.says(delivery("1", start("fix the test")));
    world.settle();
    world.surface.cannotRender(Update.Succeeded.class::isInstance);

    world.runs.moves(
        world.runs.runs().getFirst().id(),
        RunState.SUCCEEDED,
        "Done, see [`a`](https://a.example) <@U1>.");
    world.passes(Duration.ofSeconds(2));

    assertThat(world.surface.posts(THREAD).getLast().update())
        .isInstanceOfSatisfying(
            Update.Message.class,
            told ->
                assertThat(told.text())
                    .startsWith("The run has finished.")
                    .endsWith("Done, see   a  (https://a.example)   U1 ."));
  }

  @Test
  void conversationGoesOnAfterAnUpdateThatCannotBeRendered() {
    world.surface.cannotRender(Update.Status.class::isInstance);
    world.says(delivery("1", start("fix the test")));
    world.settle();

    world.runs.moves(world.runs.runs().getFirst().id(), RunState.SUCCEEDED, "Done.");
    world.passes(Duration.ofSeconds(2));

    assertThat(world.surface.kinds(THREAD)).contains("Succeeded");
  }
}
