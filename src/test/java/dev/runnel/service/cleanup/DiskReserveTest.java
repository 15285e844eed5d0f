package dev.runnel.service.cleanup;

import static dev.runnel.service.RunningService.awaitFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.service.RunningService;
import dev.runnel.service.process.ProcessTree;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.store.RunTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Room for the database on the disk of the workspaces.
@Tag("slow")
class DiskReserveTest {
  private static final long MIB = FreeSpace.MIB;

  @TempDir Path folder;

  /// A disk of 2 GiB, of which 102 MiB are kept, and 110 are free but for the workspaces.
  private record SmallDisk(Path workspaces) implements FreeSpace {
    @Override
    public long free() throws IOException {
      if (!Files.exists(workspaces)) {
        return 110 * MIB;
      }
      var bytes = new AtomicLong();
      try (var files = Files.walk(workspaces)) {
        files.forEach(file -> bytes.addAndGet(file.toFile().isFile() ? file.toFile().length() : 0));
      } catch (UncheckedIOException _) {
        // It is being deleted.
      }
      return 110 * MIB - bytes.get();
    }

    @Override
    public long total() {
      return 2048 * MIB;
    }
  }

  @Test
  void workspaceOfTheBiggestRunIsDeletedBeforeItsEndIsStored() throws IOException {
    var command =
        "[ $(cat) = big ] && fallocate -l 20M file && sleep 300; head -c 2M /dev/zero >"
            + " file; touch ready; while [ ! -e go ]; do sleep 0.05; done; echo done";
    try (var service =
        RunningService.withDisk(folder, command, new SmallDisk(folder.resolve("workspaces")))) {
      var small = service.create("small");
      awaitFile(folder.resolve("workspaces/" + small + "/ready"));
      var big = service.create("big");
      var run = service.awaitState(big, "FAILED");

      assertThat(folder.resolve("workspaces/" + big)).doesNotExist();
      assertThat(run.at("/status_message/message").asText())
          .isEqualTo(ExecutionResult.diskFull(20 * MIB).message());
      assertThat(
              ProcessTree.ofOrphan(
                      new RunTable.ClaimedExecution(
                          big, 1, "", "", Optional.empty(), Optional.empty()))
                  .isEmpty())
          .isTrue();
      Files.createFile(folder.resolve("workspaces/" + small + "/go"));
      service.awaitState(small, "SUCCEEDED");
    }
  }

  /// A disk that is nearly full as long as a file exists.
  private record FilledDisk(Path file) implements FreeSpace {
    @Override
    public long free() {
      return (Files.exists(file) ? 50 : 110) * MIB;
    }

    @Override
    public long total() {
      return 2048 * MIB;
    }
  }

  @Test
  void aCacheThatNoRunUsesIsDeletedBeforeAnyWorkspace() throws IOException {
    var command =
        "head -c 2M /dev/zero > file; touch ready; while [ ! -e go ]; do sleep 0.05; done; echo"
            + " done";
    var cache = folder.resolve("caches/web");
    try (var service =
        RunningService.withDisk(folder, command, new FilledDisk(cache.resolve("file")))) {
      var run = service.create("work");
      awaitFile(folder.resolve("workspaces/" + run + "/ready"));
      var filled = Files.createDirectories(folder.resolve("filled"));
      Files.write(filled.resolve("file"), new byte[(int) (2 * MIB)]);
      Files.createDirectories(folder.resolve("caches"));
      Files.move(filled, cache);

      await().atMost(Duration.ofSeconds(60)).until(() -> Files.notExists(cache));
      Files.createFile(folder.resolve("workspaces/" + run + "/go"));
      service.awaitState(run, "SUCCEEDED");
    }
  }

  @Test
  void biggestWorkspaceOfAnEndedRunIsDeletedAndAReplyGetsANewOne() {
    var disk = new SmallDisk(folder.resolve("workspaces"));
    var command = "[ $RUNNEL_EXECUTION = 2 ] || head -c $(cat)M /dev/zero > file; echo done";
    try (var service = RunningService.withDisk(folder, command, disk)) {
      var bigger = service.create("6");
      service.awaitState(bigger, "SUCCEEDED");
      var smaller = service.create("3");
      service.awaitState(smaller, "SUCCEEDED");
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> Files.notExists(folder.resolve("workspaces/" + bigger)));

      assertThat(service.state(bigger)).isEqualTo("SUCCEEDED");
      assertThat(folder.resolve("workspaces/" + smaller + "/file")).hasSize(3 * MIB);
      service.followUp(bigger, "again");
      service.awaitState(bigger, "SUCCEEDED");
      assertThat(folder.resolve("workspaces/" + bigger)).isDirectory();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cat /dev/zero > big",
        "while :; do cat /dev/zero >> big 2>/dev/null; sleep 0.01; done"
      })
  void runThatFillsTheDatabaseDiskEndsAndOthersContinue(String filling) throws Exception {
    var disk = Files.createDirectories(folder.resolve("disk"));
    assumeThat(run("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", disk.toString())).isZero();
    try {
      var command = "if [ $(cat) = fill ]; then %s; exit 1; fi; echo fine".formatted(filling);
      try (var service = RunningService.withCommand(disk, command)) {
        var id = service.create("fill");
        service.awaitState(id, "FAILED");

        assertThat(disk.resolve("workspaces/" + id)).doesNotExist();
        var next = service.create("more");
        assertThat(service.awaitState(next, "SUCCEEDED").at("/status_message/message").asText())
            .isEqualTo("fine");
      }
    } finally {
      run("umount", "--lazy", disk.toString());
    }
  }

  private static int run(String... command) throws IOException, InterruptedException {
    var process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }
}
