package dev.runnel.core.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.FileContent;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.run.Arrival;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Prompt;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunFile;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunListing;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.RunChangeListener;
import dev.runnel.core.port.Store;
import dev.runnel.database.Database;
import dev.runnel.store.SqlStore;
import dev.runnel.testkit.FakeAgentRuns;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.SettableClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WatcherTest {
  /// A service whose lists of changes end early, the oldest changes first.
  private record ShortLists(AgentRuns all, int longest) implements AgentRuns {
    @Override
    public FileContent content(RunFile file, long maxBytes) {
      return all.content(file, maxBytes);
    }

    @Override
    public RunListing changedSince(Instant since) {
      return switch (all.changedSince(since)) {
        case RunListing.Listed(var seen) ->
            new RunListing.Listed(
                seen.stream()
                    .sorted(Comparator.comparing(run -> run.updatedAt().orElseThrow()))
                    .limit(longest)
                    .toList());
        case RunListing.Unavailable unavailable -> unavailable;
      };
    }

    @Override
    public Outcome start(Prompt prompt, DeliveryId key) {
      return all.start(prompt, key);
    }

    @Override
    public Outcome findStarted(DeliveryId key, Instant since, Optional<String> words) {
      return all.findStarted(key, since, words);
    }

    @Override
    public Outcome followUp(RunId run, String text, DeliveryId key) {
      return all.followUp(run, text, key);
    }

    @Override
    public Outcome interrupt(RunId run, String text, DeliveryId key) {
      return all.interrupt(run, text, key);
    }

    @Override
    public Arrival followUpArrival(Run before, String text, int said) {
      return all.followUpArrival(before, text, said);
    }

    @Override
    public Outcome cancel(RunId run) {
      return all.cancel(run);
    }

    @Override
    public Outcome find(RunId run) {
      return all.find(run);
    }

    @Override
    public RunListing unfinished() {
      return all.unfinished();
    }
  }

  private record CountedCommits(Store all, AtomicInteger commits) implements Store {
    @Override
    public <T> T commit(Function<Work, T> step) {
      commits.incrementAndGet();
      return all.commit(step);
    }

    @Override
    public boolean accept(Delivery delivery) {
      return all.accept(delivery);
    }

    @Override
    public <T> T read(Function<Bindings, T> question) {
      return all.read(question);
    }
  }

  @TempDir Path folder;

  @Test
  void fullCheckDoesNotSkipChangesOmittedByALimitedList() {
    var clock = new SettableClock();
    var runs = new FakeAgentRuns(clock);
    try (var database = Database.sqlite(folder.resolve("runnel.db"));
        var store = new SqlStore(database, clock)) {
      for (int i = 0; i < 60; i++) {
        bind(store, runs.addsStranger("run " + i), i, clock.instant());
      }
      var unfinished = runs.addsStranger("the last one");
      bind(store, unfinished, 60, clock.instant());
      for (var run : runs.runs()) {
        clock.advance(Duration.ofSeconds(1));
        runs.moves(
            run.id(),
            run.id().equals(unfinished.id()) ? RunState.RUNNING : RunState.SUCCEEDED,
            "Done.");
      }

      var watcher = new Watcher(store, new ShortLists(runs, 10), RunChangeListener.NONE);
      for (int second = 0; second < 12; second++) {
        watcher.step(clock.instant());
        clock.advance(Duration.ofSeconds(1));
      }

      assertThat(store.<Integer>read(Store.Bindings::countActive)).isOne();
    }
  }

  @Test
  void changesOfManyRunsAreStoredInFewCommits() {
    var clock = new SettableClock();
    var runs = new FakeAgentRuns(clock);
    try (var database = Database.sqlite(folder.resolve("runnel.db"));
        var store = new SqlStore(database, clock)) {
      for (int i = 0; i < 100; i++) {
        bind(store, runs.addsStranger("run " + i), i, clock.instant());
      }
      var commits = new AtomicInteger();
      var watcher = new Watcher(new CountedCommits(store, commits), runs, RunChangeListener.NONE);
      watcher.step(clock.instant());
      for (var run : runs.runs()) {
        clock.advance(Duration.ofMillis(1));
        runs.moves(run.id(), RunState.SUCCEEDED, "Done.");
      }
      commits.set(0);

      watcher.step(clock.instant());

      assertThat(store.<Integer>read(Store.Bindings::countActive)).isZero();
      assertThat(commits).hasValue(5);
    }
  }

  private static void bind(Store store, Run run, int number, Instant now) {
    store.change(
        work ->
            work.bindings()
                .save(
                    Samples.binding(
                        new Conversation(Samples.SURFACE, "team/channel/" + number),
                        run,
                        Samples.DANA,
                        Request.of("a"),
                        Origin.NONE,
                        Optional.empty(),
                        now,
                        false,
                        0)));
  }
}
