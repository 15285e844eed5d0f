package dev.runnel.service.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.database.Database;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.run.Usage;
import dev.runnel.service.store.ExecutionRecords.NewOutput;
import dev.runnel.service.store.RunQueries;
import dev.runnel.service.store.ServiceTables;
import dev.runnel.testkit.MigratedFile;
import dev.runnel.testkit.RunChanges;
import dev.runnel.testkit.SettableClock;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HarnessUsageTest {
  private static final Usage USAGE = new Usage(10, 2, Optional.empty(), false);

  private final SettableClock clock = new SettableClock();
  private Database database;
  private RunChanges changes;
  private ExecutionRequest execution;

  @BeforeEach
  void open(@TempDir Path folder) {
    database = MigratedFile.open(folder.resolve("agent-runs.db"), ServiceTables.ON_SQLITE);
    changes = RunChanges.on(database, clock);
    changes
        .runs()
        .create(
            NewRun.parse(ServiceJson.newObject().put("prompt", "x")),
            Caller.MAIN,
            Optional.empty(),
            Optional.empty());
    execution = changes.records().claimNext(0).orElseThrow();
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void theUsageOfCodexHasItsInputAndOutput() {
    record("codex:1", USAGE);

    assertThat(usage("/usage/harness")).isEqualTo("\"CODEX\"");
    assertThat(usage("/usage/executionId")).isEqualTo("1");
    assertThat(usage("/usage/snapshot/payload/usage"))
        .isEqualTo("{\"input_tokens\":10,\"output_tokens\":2}");
    assertThat(usage("/usage/snapshot/coverage"))
        .isEqualTo("{\"tokenStatus\":\"partial\",\"toolStatus\":\"unavailable\"}");
  }

  @Test
  void claudeCodeUsageOmitsTheInputTokens() {
    record("claude:1", USAGE);

    assertThat(usage("/usage/harness")).isEqualTo("\"CLAUDE_CODE\"");
    assertThat(usage("/usage/snapshot/payload/usage")).isEqualTo("{\"output_tokens\":2}");
  }

  @Test
  void unstoredUsageIsReportedAsUnavailable() {
    record("codex:1", Usage.NONE);

    assertUnavailable();
  }

  @Test
  void theUsageOfAnotherAgentIsUnavailable() {
    record("gemini:1", USAGE);

    assertUnavailable();
  }

  private void record(String session, Usage usage) {
    changes
        .records()
        .recordOutput(
            execution,
            new NewOutput(List.of(), Optional.empty(), List.of(), Optional.of(session), usage));
  }

  private void assertUnavailable() {
    assertThat(usage(""))
        .isEqualTo(
            "{\"run_id\":\"%1$s\",\"conversation_id\":\"%1$s\",\"available\":false}"
                .formatted(execution.runId()));
  }

  private String usage(String pointer) {
    var run = new RunQueries(database).find(execution.runId()).orElseThrow();
    return HarnessUsage.of(run).at(pointer).toString();
  }
}
