package dev.runnel.service.store;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.runnel.database.Database;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.run.limit.StartLimits;
import dev.runnel.testkit.MigratedFile;
import dev.runnel.testkit.RunChanges;
import dev.runnel.testkit.SettableClock;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Why a run is not started although its request is valid.
class StartLimitsTest {
  private Database database;
  private RunService runs;

  @BeforeEach
  void open(@TempDir Path folder) {
    database = MigratedFile.open(folder.resolve("agent-runs.db"), ServiceTables.ON_SQLITE);
    var clock = new SettableClock();
    runs = RunChanges.on(database, clock).runs();
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void aStartDuringAFreezeIsNotAvailable() {
    runs.limitStarts(limits(Optional.of("Dana froze all starts"), Optional.empty()));

    assertRefused(Optional.empty(), "feature_not_available", "Dana froze all starts");
  }

  @Test
  void aStartByAnAgentBeyondABudgetExceedsIt() {
    var root = create(Optional.empty());
    runs.limitStarts(limits(Optional.empty(), Optional.of("4 of 4 runs a day")));

    assertRefused(Optional.of(root), "budget_exceeded", "4 of 4 runs a day");
  }

  private void assertRefused(Optional<String> parent, String code, String detail) {
    assertThatExceptionOfType(RequestProblem.class)
        .isThrownBy(() -> create(parent))
        .returns(code, problem -> problem.code().typeSegment())
        .returns(403, problem -> problem.code().status())
        .returns(detail, RequestProblem::detail);
  }

  private String create(Optional<String> parent) {
    var request = ServiceJson.newObject().put("prompt", "x");
    request.putObject("metadata").put("runnel.delivery", "slack:1");
    parent.ifPresent(id -> request.put("parent_run_id", id));
    var created =
        runs.create(NewRun.parse(request), Caller.MAIN, Optional.empty(), Optional.empty());
    return ServiceJson.read(created).path("run_id").asText();
  }

  private static StartLimits limits(Optional<String> frozen, Optional<String> refusal) {
    return new StartLimits() {
      @Override
      public Optional<String> frozen() {
        return frozen;
      }

      @Override
      public Optional<String> refuse(String delivery, String run) {
        return refusal;
      }

      @Override
      public void used(String run, Duration worked, BigDecimal dollars) {}
    };
  }
}
