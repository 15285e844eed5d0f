package dev.runnel.service.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedCachesTest {
  @TempDir Path folder;
  private Workspaces workspaces;

  @BeforeEach
  void open() {
    workspaces = new Workspaces(folder.resolve("workspaces"), Environments.NONE);
  }

  @Test
  void cacheGrowthIsChargedToOneRunOnly() throws IOException {
    use("first");
    use("second");
    grow("a", 1000);

    assertThat(workspaces.size("first") + workspaces.size("second")).isEqualTo(1000);

    workspaces.release("first");
    grow("b", 500);
    assertThat(workspaces.size("second")).isEqualTo(1000);
  }

  @Test
  void existingCacheContentIsChargedToNoRun() throws IOException {
    use("first");
    grow("a", 1000);
    assertThat(workspaces.size("first")).isEqualTo(1000);

    use("second");
    assertThat(workspaces.size("second")).isZero();
  }

  @Test
  void emptyFilesAndFoldersCountForTheRunThatCreatesThem() throws IOException {
    use("first");
    var before = workspaces.chargedBytes("first");
    for (int i = 0; i < 100; i++) {
      grow("empty" + i, 0);
    }

    assertThat(workspaces.chargedBytes("first") - before).isEqualTo(100 * 4096);
    assertThat(workspaces.size("first")).isZero();
    use("second");
    assertThat(workspaces.chargedBytes("second")).isLessThan(100 * 4096);
  }

  @Test
  void aCacheIsNotDeletedWhileARunHasItMounted() throws IOException {
    use("first");
    use("second");
    var file = grow("a", 1000);

    assertThat(workspaces.deleteUnusedCaches(0)).isFalse();
    workspaces.delete("first");
    assertThat(file).exists();

    workspaces.release("first");
    workspaces.release("second");
    assertThat(workspaces.deleteUnusedCaches(0)).isTrue();
    assertThat(file).doesNotExist();
  }

  @Test
  void deletionOfARunDeletesTheCacheThatItAloneFilled() throws IOException {
    use("only");
    var file = grow("a", 1000);

    workspaces.delete("only");

    assertThat(file).doesNotExist();
  }

  @Test
  void cacheThatIsToBeForgottenIsDeletedWhenItsLastRunReleasesIt() throws IOException {
    use("first");
    use("second");
    var file = grow("a", 1000);
    assertThat(inAnotherProcess().forget("none")).isTrue();

    workspaces.release("first");
    assertThat(file).exists();
    workspaces.release("second");

    assertThat(folder.resolve("caches")).isEmptyDirectory();
  }

  @Test
  void cacheThatIsToBeForgottenIsDeletedBeforeTheNextRunSeesIt() throws IOException {
    use("first");
    var file = grow("a", 1000);
    workspaces.release("first");
    inAnotherProcess().forget("none");

    use("second");

    assertThat(file).doesNotExist();
    var kept = grow("b", 1);
    workspaces.release("second");
    assertThat(kept).exists();
  }

  @Test
  void cacheOfAnUnknownEnvironmentNeedNotBeForgotten() throws IOException {
    use("first");

    assertThat(inAnotherProcess().forget("nope")).isFalse();
    assertThat(inAnotherProcess().forget("../workspaces")).isFalse();
    assertThat(folder.resolve("caches")).isDirectoryNotContaining("glob:**.forget*");
  }

  private SharedCaches inAnotherProcess() {
    return new SharedCaches(folder.resolve("caches"));
  }

  @Test
  void aCacheThatTakesLongToMeasureDoesNotDelayRunsOfOtherEnvironments() throws Exception {
    var measuring = new CountDownLatch(1);
    var release = new CountDownLatch(1);
    var caches =
        new SharedCaches(
            folder.resolve("caches"),
            cache -> {
              if (cache.endsWith("huge")) {
                measuring.countDown();
                await(release);
              }
              return Folders.Extent.NOTHING;
            });
    Files.createDirectories(folder.resolve("caches/huge"));
    var slow = Thread.ofVirtual().start(() -> use(caches, "first", "huge"));
    await(measuring);

    var other = Thread.ofVirtual().start(() -> use(caches, "second", "small"));
    try {
      assertThat(other.join(Duration.ofSeconds(5))).isTrue();
    } finally {
      release.countDown();
      slow.join();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void use(SharedCaches caches, String runId, String environment) {
    try {
      caches.use(runId, environment);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void onlyDownloadsAreShared() throws IOException {
    var home = workspaces.home("run", Environment.NONE);

    assertThat(home.mounts().keySet())
        .extracting(each -> home.folder().relativize(each).toString())
        .containsExactlyInAnyOrderElementsOf(
            List.of(
                ".cache/go-build",
                ".cache/pip",
                ".cache/uv",
                ".cargo/registry",
                ".gradle/caches",
                ".gradle/wrapper/dists",
                ".m2/repository",
                ".npm/_cacache",
                "go/pkg"));
  }

  private void use(String runId) throws IOException {
    workspaces.home(runId, Environment.NONE);
  }

  private Path grow(String name, int bytes) throws IOException {
    return Files.write(folder.resolve("caches/none/npm-_cacache/" + name), new byte[bytes]);
  }
}
