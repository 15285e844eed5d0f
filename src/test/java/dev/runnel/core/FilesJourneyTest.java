package dev.runnel.core;

import static dev.runnel.testkit.Samples.OTHER_THREAD;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.deliver.FileLimits;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.run.RunFile;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.World;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Files that agents hand over, on their way to the thread.
class FilesJourneyTest {
  @TempDir Path folder;
  private World world;
  private RunId run;

  @BeforeEach
  void starts() {
    world = new World(folder);
    world.says(delivery("1", start("fix the test")));
    world.settle();
    run = world.onlyRun().id();
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void fileIsUploadedBeforeTheEndIsReported() {
    handsOver("report.md", "It works");
    ends();

    assertThat(world.surface.uploads()).containsExactly("report.md: It works");
    assertThat(world.surface.kinds(THREAD)).containsExactly("Status", "Succeeded");
  }

  @Test
  void aFileIsUploadedOnceThoughTheAnswerWasLostAndRunnelStartedAgain() {
    world.surface.losesNextAnswer();
    handsOver("report.md", "It works");
    world.restart(UnaryOperator.identity());
    world.leaps(Duration.ofMinutes(2));
    ends();

    assertThat(world.surface.uploads()).containsExactly("report.md: It works");
  }

  @Test
  void aFileThatChangedIsUploadedAgainAndOneThatDidNotIsNot() {
    handsOver("report.md", "one");
    handsOver("shot.png", "picture");
    ends();
    world.says(delivery("2", start("go on")));
    world.settle();
    handsOver("report.md", "two");
    ends();

    assertThat(world.surface.uploads())
        .containsExactly("report.md: one", "shot.png: picture", "report.md: two");
  }

  @Test
  void aFileWaitsWhileTheRunServiceIsDown() {
    world.surface.answersPosts(Optional.of(new Posting.Later(Optional.empty(), "down")));
    handsOver("report.md", "It works");
    world.runs.isDown(Optional.empty());
    world.surface.answersPosts(Optional.empty());
    world.leaps(Duration.ofMinutes(1));
    assertThat(world.surface.uploads()).isEmpty();

    world.runs.isBack();
    world.leaps(Duration.ofMinutes(30));
    assertThat(world.surface.uploads()).containsExactly("report.md: It works");
  }

  @Test
  void unreadableFileDelaysNeitherTheResultNorOtherPosts() {
    world.runs.withholdsContent(Optional.of(Duration.ofHours(1)));
    handsOver("report.md", "It works");
    ends();
    world.says(delivery("2", start("fix the docs"), OTHER_THREAD));
    world.settle();

    assertThat(world.surface.kinds(OTHER_THREAD)).containsExactly("Status");
    assertThat(world.surface.kinds(THREAD)).containsExactly("Status", "Succeeded");

    world.runs.withholdsContent(Optional.empty());
    world.leaps(Duration.ofHours(2));
    assertThat(world.surface.uploads()).containsExactly("report.md: It works");
  }

  @Test
  void aFileOfAnotherTypeOrTooLargeIsNamedWithTheReason() {
    world.uploads(new FileLimits(Set.of("md"), 4, 10));
    handsOver("tool.exe", "x");
    handsOver("long.md", "12345");

    assertThat(world.surface.uploads()).isEmpty();
    assertThat(world.surface.told(THREAD))
        .containsExactly(
            "I did not upload `tool.exe`: files of this type are not uploaded.",
            "I did not upload `long.md`: it is larger than 1 MB.");
  }

  @Test
  void aWithheldFileIsNamedWithTheReason() {
    world.runs.handsOver(run, new RunFile("9", "env.txt", "text/plain", 3, "", true), "key");
    world.settle();

    assertThat(world.surface.uploads()).isEmpty();
    assertThat(world.surface.told(THREAD))
        .containsExactly("I did not upload `env.txt`: it contains a secret.");
  }

  @Test
  void filesOverTheLimitAreReportedOnce() {
    world.uploads(new FileLimits(Set.of("md"), 100, 2));
    for (var number = 1; number <= 5; number++) {
      handsOver(number + ".md", "x");
    }

    assertThat(world.surface.uploads()).containsExactly("1.md: x", "2.md: x");
    assertThat(world.surface.told(THREAD))
        .containsExactly("More files are not uploaded: the limit is 2 per run.");
  }

  @Test
  void platformWithoutUploadsGetsNoFileAndNoMessageAboutIt() {
    world.surface.takesNoFiles();
    handsOver("report.md", "It works");
    ends();

    assertThat(world.surface.uploads()).isEmpty();
    assertThat(world.surface.kinds(THREAD)).containsExactly("Status", "Succeeded");
  }

  private void handsOver(String name, String content) {
    world.runs.handsOver(
        run,
        new RunFile(name, name, "text/plain", content.length(), "sha of " + content, false),
        content);
    world.settle();
  }

  private void ends() {
    world.runs.moves(run, RunState.SUCCEEDED, "Done");
    world.passes(Duration.ofSeconds(5));
  }
}
