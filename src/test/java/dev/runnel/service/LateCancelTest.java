package dev.runnel.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.database.Database;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.Json;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.store.NodeMembership;
import dev.runnel.service.store.QueueSignal;
import dev.runnel.service.store.RunService;
import dev.runnel.service.store.RunWatchers;
import dev.runnel.service.store.SlotLimits;
import dev.runnel.testkit.MigratedFile;
import dev.runnel.testkit.SettableClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A cancellation that was asked for before the end, and that the rows hear of after it.
class LateCancelTest {
  private final SettableClock clock = new SettableClock();
  private Database database;
  private RunService book;
  private String claim = "";

  @BeforeEach
  void open(@TempDir Path folder) {
    database = MigratedFile.open(folder.resolve("agent-runs.db"), "db/service");
    book =
        new RunService(
            database,
            clock,
            new RunWatchers(),
            new QueueSignal(),
            NodeMembership.alone(database, clock, 1),
            SlotLimits.USUAL,
            Map.of());
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void isDoneWhereTheRunWasCancelledMeanwhile() {
    var run = working();
    var asked = clock.instant();
    clock.advance(Duration.ofMillis(1));
    assertThat(book.cancel(run, asked)).isTrue();
    book.finish(claim, ExecutionResult.cancelled());

    assertThat(book.cancel(run, asked)).isFalse();
  }

  @Test
  void isDoneWhereTheRunWasCancelledInTheQueue() {
    var run = created();
    var asked = clock.instant();
    assertThat(book.cancel(run, asked)).isFalse();

    assertThat(book.cancel(run, asked)).isFalse();
  }

  @Test
  void isRefusedWhereTheRunHadBeenCancelledBefore() {
    var run = working();
    book.cancel(run, clock.instant());
    book.finish(claim, ExecutionResult.cancelled());
    clock.advance(Duration.ofMillis(1));

    assertThatThrownBy(() -> book.cancel(run, clock.instant()))
        .hasMessage("The run has already ended");
  }

  @Test
  void isRefusedWhereTheRunCameToItsOwnEndMeanwhile() {
    var run = working();
    var asked = clock.instant();
    clock.advance(Duration.ofMillis(1));
    book.finish(claim, ExecutionResult.succeeded("Done."));

    assertThatThrownBy(() -> book.cancel(run, asked)).hasMessage("The run has already ended");
  }

  private String working() {
    var run = created();
    claim = book.claimNext(0).orElseThrow().claim();
    return run;
  }

  private String created() {
    var asked = NewRun.parse(Json.newObject().put("prompt", "x"));
    return Json.read(book.create(asked, Caller.MAIN, Optional.empty(), Optional.empty()))
        .get("run_id")
        .asText();
  }
}
