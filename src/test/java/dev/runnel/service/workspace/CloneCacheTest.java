package dev.runnel.service.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.testkit.FakeCommandRunner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CloneCacheTest {
  private static final int RUNS = 12;
  private static final Repository SHOP =
      Repository.of("acme/shop", Optional.empty(), Optional.empty(), Optional.empty());

  @TempDir Path folder;

  @Test
  void simultaneousRunsShareAFetchThatBeganAfterTheirRequest() throws Exception {
    var cache = new CloneCache(folder.resolve("repositories"), Map.of());
    var waiting = new CountDownLatch(RUNS - 1);
    var fetches = new AtomicInteger();
    var calls = new ArrayList<Callable<Path>>();
    for (int i = 0; i < RUNS; i++) {
      calls.add(() -> cache.update(SHOP, new SlowServer(waiting, fetches)));
    }
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (var call : threads.invokeAll(calls)) {
        assertThat(call.get()).isDirectory();
      }
    }

    // The first, which the others did not see the beginning of, and one for all of them.
    assertThat(fetches).hasValue(2);
  }

  @Test
  void runThatWaitsForAnotherFetchCanBeStopped() throws Exception {
    var cache = new CloneCache(folder.resolve("repositories"), Map.of());
    var entered = new CountDownLatch(1);
    var mayGoOn = new CountDownLatch(1);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var first =
          threads.submit(
              () ->
                  cache.update(
                      SHOP,
                      new FakeGit() {
                        @Override
                        void onFetch() throws InterruptedException {
                          entered.countDown();
                          mayGoOn.await();
                        }
                      }));
      entered.await();
      var second =
          threads.submit(
              () ->
                  cache.update(
                      SHOP,
                      new FakeGit() {
                        @Override
                        public void requireNotStopped() throws StoppedException {
                          throw StoppedException.requested();
                        }
                      }));

      assertThat(second)
          .failsWithin(Duration.ofSeconds(5))
          .withThrowableThat()
          .withCauseInstanceOf(StoppedException.class);
      mayGoOn.countDown();
      assertThat(first).succeedsWithin(Duration.ofSeconds(5));
    }
  }

  @Test
  void anErrorOfTheNetworkDoesNotBuildTheMirrorAgain() throws Exception {
    var cache = new CloneCache(folder.resolve("repositories"), Map.of());
    cache.update(SHOP, new FakeGit() {});
    var commands = new ArrayList<String>();
    var offline =
        new FakeGit() {
          @Override
          public Result program(List<String> command, Path folder, Map<String, String> variables) {
            commands.addAll(command);
            return new Result(128, "", "fatal: unable to access: Could not resolve host: x");
          }
        };

    assertThatThrownBy(() -> cache.update(SHOP, offline)).isInstanceOf(SetupException.class);
    assertThat(commands).contains("ls-remote").doesNotContain("init");
  }

  /// Makes the folder that `git init` would make, and has nothing to say otherwise.
  private abstract static class FakeGit extends FakeCommandRunner {
    void onFetch() throws InterruptedException {}

    @Override
    public Result program(List<String> command, Path folder, Map<String, String> variables)
        throws InterruptedException {
      if (command.contains("init")) {
        try {
          Files.createDirectories(Path.of(command.getLast()));
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
      if (command.contains("fetch")) {
        onFetch();
      }
      return new Result(0, "", "");
    }
  }

  /// Answers the first fetch when all others wait for it.
  private static final class SlowServer extends FakeGit {
    private final CountDownLatch waiting;
    private final AtomicInteger fetches;
    private boolean counted;

    SlowServer(CountDownLatch waiting, AtomicInteger fetches) {
      this.waiting = waiting;
      this.fetches = fetches;
    }

    @Override
    void onFetch() throws InterruptedException {
      fetches.incrementAndGet();
      waiting.await();
    }

    @Override
    public void requireNotStopped() {
      if (!counted) {
        counted = true;
        waiting.countDown();
      }
    }
  }
}
