package dev.runnel.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.database.Database;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.NewArtifact;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.run.Usage;
import dev.runnel.testkit.MigratedFile;
import dev.runnel.testkit.RunChanges;
import dev.runnel.testkit.SettableClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunsByArtifactTest {
  private static final String URL = "https://github.com/acme/shop/pull/7";

  private final SettableClock clock = new SettableClock();
  private Database database;
  private RunChanges changes;

  @BeforeEach
  void open(@TempDir Path folder) {
    database = MigratedFile.open(folder.resolve("agent-runs.db"), ServiceTables.ON_SQLITE);
    changes = RunChanges.on(database, clock);
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void theRunThatPushedThePullRequestComesBeforeNewerOnesThatMentionIt() {
    var first = run(NewArtifact.pullRequest(URL, ""));
    var pushed = run(NewArtifact.pullRequest(URL, "fix"));
    var pushedAnother =
        run(NewArtifact.pullRequest(URL, ""), NewArtifact.pullRequest(URL + "0", "other"));
    var last = run(NewArtifact.pullRequest(URL, ""));
    run(NewArtifact.pullRequest(URL + "0", "fix"));

    assertThat(new RunQueries(database).idsByArtifact(URL))
        .containsExactly(pushed, last, pushedAnother, first);
  }

  private String run(NewArtifact... artifacts) {
    clock.advance(Duration.ofMinutes(1));
    changes
        .runs()
        .create(
            NewRun.parse(ServiceJson.newObject().put("prompt", "x")),
            Caller.MAIN,
            Optional.empty(),
            Optional.empty());
    var execution = changes.records().claimNext(0).orElseThrow();
    changes
        .records()
        .recordOutput(
            execution,
            new ExecutionRecords.NewOutput(
                List.of(), Optional.empty(), List.of(artifacts), Optional.empty(), Usage.NONE));
    changes.records().finish(execution.claim(), ExecutionResult.succeeded("Done."));
    return execution.runId();
  }
}
