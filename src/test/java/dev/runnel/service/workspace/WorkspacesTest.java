package dev.runnel.service.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.runnel.testkit.FakeCommandRunner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkspacesTest {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private static final Duration WEEK = Duration.ofDays(7);
  private static final long MUCH = 1L << 40;

  @TempDir Path folder;
  private Workspaces workspaces;

  @BeforeEach
  void open() {
    workspaces = new Workspaces(folder.resolve("workspaces"), Environments.NONE);
  }

  @Nested
  class CleaningUp {
    @Test
    void cleanupDeletesWorkspacesUnusedForTheWholePeriod() throws Exception {
      used("old", 10, Duration.ofDays(8));
      used("young", 10, Duration.ofDays(6));

      clean(MUCH);

      assertThat(folder.resolve("workspaces/old")).doesNotExist();
      assertThat(folder.resolve("workspaces/young/file")).exists();
      assertThat(names()).containsExactlyInAnyOrder("young", "young.ready");
    }

    @Test
    void cleanupDeletesTheLongestUnusedUntilTheRestFits() throws Exception {
      used("first", 1000, Duration.ofDays(3));
      used("second", 1000, Duration.ofDays(2));
      used("third", 1000, Duration.ofDays(1));

      clean(2100);

      assertThat(names()).contains("second", "third").doesNotContain("first");
    }

    @Test
    void cleanupKeepsWorkspacesThatAreInUseOrQueued() throws Exception {
      used("queued", 1000, Duration.ofDays(9));
      used("works", 1000, Duration.ofDays(9));
      prepare("works");

      workspaces.clean(NOW, WEEK, 0, "queued"::equals);
      assertThat(names()).contains("queued", "works");

      workspaces.release("works");
      Files.setLastModifiedTime(ready("works"), time(Duration.ofDays(9)));
      workspaces.clean(NOW, WEEK, 0, "queued"::equals);
      assertThat(names()).contains("queued").doesNotContain("works");
    }

    @Test
    void cleanupDeletesFoldersWithoutPermissions() throws Exception {
      used("closed", 10, Duration.ofDays(8));
      var inner = Files.createDirectories(folder.resolve("workspaces/closed/pkg/mod"));
      Files.writeString(inner.resolve("file"), "x");
      Files.setPosixFilePermissions(inner, PosixFilePermissions.fromString("---------"));
      Files.setPosixFilePermissions(
          inner.getParent(), PosixFilePermissions.fromString("r-xr-xr-x"));

      clean(MUCH);

      assertThat(names()).isEmpty();
    }

    @Test
    void cleanupDoesNotFollowLinksOutOfTheWorkspace() throws Exception {
      var outside = Files.writeString(folder.resolve("outside"), "precious");
      used("links", 10, Duration.ofDays(8));
      Files.createSymbolicLink(folder.resolve("workspaces/links/link"), folder);

      clean(MUCH);

      assertThat(outside).hasContent("precious");
      assertThat(names()).isEmpty();
    }

    @Test
    void cleanupDeletesFoldersTooDeepForAPath() throws Exception {
      used("deep", 10, Duration.ofDays(8));
      var script = "for i in $(seq 900); do mkdir folder-$i && cd folder-$i || exit 1; done";
      var shell =
          new ProcessBuilder("bash", "-c", script)
              .directory(folder.resolve("workspaces/deep").toFile())
              .start();
      assertThat(shell.waitFor()).isZero();

      clean(MUCH);

      assertThat(names()).isEmpty();
    }

    @Test
    void cleanupContinuesAfterAWorkspaceThatCannotBeDeleted() throws Exception {
      // The name of its home folder has no room for the ending of what is to be deleted.
      var stuck = "s".repeat(245);
      used(stuck, 10, Duration.ofDays(9));
      Files.createDirectories(folder.resolve("homes").resolve(stuck));
      used("old", 10, Duration.ofDays(8));

      clean(MUCH);

      assertThat(names()).contains(stuck).doesNotContain("old");
    }

    @Test
    void cleanupFinishesInterruptedDeletions() throws Exception {
      Files.createDirectories(folder.resolve("workspaces/half.trash/more"));
      Files.createDirectories(folder.resolve("homes/half.home.trash/more"));

      clean(MUCH);

      assertThat(names()).isEmpty();
      assertThat(folder.resolve("homes")).isEmptyDirectory();
    }

    @Test
    void cleanupDeletesWorkspacesOnAnotherDiskThanTheirHomes() throws Exception {
      var otherDisk = Path.of("/dev/shm");
      assumeThat(otherDisk).isDirectory();
      assumeThat(Files.getFileStore(otherDisk)).isNotEqualTo(Files.getFileStore(folder));
      var disk = Files.createTempDirectory(otherDisk, "runnel-");
      try {
        Files.createSymbolicLink(folder.resolve("workspaces"), disk);
        used("old", 10, Duration.ofDays(8));
        Files.createDirectories(folder.resolve("homes/old/home"));

        clean(MUCH);

        assertThat(disk).isEmptyDirectory();
        assertThat(folder.resolve("homes")).isEmptyDirectory();
      } finally {
        Folders.delete(disk);
      }
    }
  }

  @Test
  void workspaceWithUnmeasurableFilesCountsAsTheBiggest() throws Exception {
    used("big", 10_000, Duration.ofDays(1));
    prepare("hides");
    var script =
        "for i in $(seq 500); do mkdir folder-$i && cd folder-$i || exit 1; done; date > x";
    var shell =
        new ProcessBuilder("bash", "-c", script)
            .directory(folder.resolve("workspaces/hides").toFile())
            .start();
    assertThat(shell.waitFor()).isZero();
    Files.write(workspaces.root("hides").resolve("visible"), new byte[5_000]);

    assertThat(workspaces.chargedBytes("hides")).as("visible files").isGreaterThan(5_000);
    assertThat(workspaces.biggest().orElseThrow().runId()).as("while in use").isEqualTo("hides");
    workspaces.release("hides");
    assertThat(workspaces.biggest().orElseThrow().runId()).as("later").isEqualTo("hides");
    workspaces.delete("hides");
    assertThat(workspaces.biggest().orElseThrow().runId()).isEqualTo("big");
  }

  @Test
  void workspaceIsAccessibleOnlyToItsOwner() throws Exception {
    prepare("run");

    for (var each : List.of("workspaces", "workspaces/run")) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve(each))))
          .as(each)
          .isEqualTo("rwx------");
    }
  }

  @Test
  void aWorkspaceIsMadeOnceAndFoundAgain() throws Exception {
    var made = (PreparedWorkspace.Ready) prepare("run");
    workspaces.release("run");
    var found = (PreparedWorkspace.Ready) prepare("run");

    assertThat(made.isNew()).isTrue();
    assertThat(made.folder()).isDirectory().isEqualTo(folder.resolve("workspaces/run"));
    assertThat(found.isNew()).isFalse();
  }

  private void used(String runId, int bytes, Duration ago) throws Exception {
    prepare(runId);
    Files.write(workspaces.root(runId).resolve("file"), new byte[bytes]);
    workspaces.release(runId);
    Files.setLastModifiedTime(ready(runId), time(ago));
  }

  private void clean(long mostBytes) throws IOException {
    workspaces.clean(NOW, WEEK, mostBytes, _ -> false);
  }

  private PreparedWorkspace prepare(String runId) throws InterruptedException {
    // An empty folder needs no program.
    return workspaces.prepare(runId, Environment.NONE, List.of(), new FakeCommandRunner());
  }

  private Path ready(String runId) {
    return folder.resolve("workspaces/" + runId + ".ready");
  }

  private static FileTime time(Duration ago) {
    return FileTime.from(NOW.minus(ago));
  }

  private List<String> names() throws IOException {
    try (var all = Files.list(folder.resolve("workspaces"))) {
      return all.map(path -> path.getFileName().toString()).toList();
    }
  }
}
