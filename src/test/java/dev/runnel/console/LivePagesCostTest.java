package dev.runnel.console;

import static dev.runnel.testkit.Samples.DANA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.console.transcript.Transcripts.Kind;
import dev.runnel.console.view.About;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What open pages are sent while many runs report what they do.
@Tag("slow")
class LivePagesCostTest {
  private static final int TALKING = 80;
  private static final int SECONDS = 10;
  private static final int MAX_BYTES_A_SECOND = 5_000;

  @TempDir Path folder;

  @Test
  void openPageUsesAtMostFiveKilobytesASecondWithEightyActiveRuns() throws Exception {
    try (var site =
            new Site(
                folder,
                InstantSource.system(),
                null,
                new About("claude -p", List.of(Site.slack(true))),
                Site.streams(10, Duration.ofMillis(500), Duration.ofSeconds(10)),
                0);
        var talk = Executors.newSingleThreadScheduledExecutor()) {
      var runs = new ArrayList<Run>();
      for (int i = 0; i < TALKING; i++) {
        runs.add(
            site.binds(
                Conversation.parse("slack:T1/C1/17000000%02d.000100".formatted(i)),
                DANA,
                "Fix the flaky test number " + i + " in the checkout module",
                "https://acme.slack.com/archives/C1/p17000000" + i));
      }
      runs.forEach(run -> talks(site, run, 0));
      var start = open(site, "/live");
      var list = open(site, "/live/runs");
      var run = open(site, "/runs/" + runs.getFirst().id() + "/live?after=0");
      await()
          .untilAsserted(
              () -> {
                assertThat(start.events("list")).isNotEmpty();
                assertThat(list.events("order")).isNotEmpty();
                assertThat(run.events("lines")).isNotEmpty();
              });

      record Measured(String name, OpenPage page, long before) {
        Measured(String name, OpenPage page) {
          this(name, page, page.bytes());
        }
      }
      var pages =
          List.of(
              new Measured("start", start), new Measured("list", list), new Measured("run", run));
      var said = new AtomicInteger();
      var begin = System.nanoTime();
      var _ =
          talk.scheduleAtFixedRate(
              () -> talks(site, runs.get(said.get() % TALKING), said.incrementAndGet()),
              0,
              1_000_000 / TALKING,
              TimeUnit.MICROSECONDS);
      await().atMost(Duration.ofMinutes(1)).until(() -> said.get() >= TALKING * SECONDS);
      var seconds = (System.nanoTime() - begin) / 1e9;

      for (var each : pages) {
        assertThat((each.page().bytes() - each.before()) / seconds)
            .as("bytes a second of " + each.name())
            .isLessThan(MAX_BYTES_A_SECOND);
        each.page().close();
      }
      assertThat(list.events("said")).hasSizeGreaterThan(100);
    }
  }

  private static void talks(Site site, Run run, int step) {
    site.says(run, Kind.SAID, "Step " + step + ": all 214 tests of this module pass again.");
    site.sees(
        site.runs.moves(
            run.id(),
            RunState.RUNNING,
            "Step "
                + step
                + ": running the tests of the module once more, to see whether it holds"));
  }

  private static OpenPage open(Site site, String path) {
    try {
      return new OpenPage(site.at(path), "Cookie", site.signedIn());
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
