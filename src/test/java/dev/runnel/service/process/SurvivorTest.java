package dev.runnel.service.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.database.Database;
import dev.runnel.service.RunningService;
import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.store.RunTable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A process that even a kill does not end.
@Tag("slow")
class SurvivorTest {
  @TempDir Path folder;

  @Test
  void stoppedRunIsCancelledOnlyAfterARestartFindsNoProcess() {
    String id;
    try (var service =
        RunningService.withSpawner(
            folder, "touch ready; exec sleep 300", Setup.USUAL, new WithSurvivor())) {
      id = service.create("x");
      RunningService.awaitFile(folder.resolve("workspaces/" + id + "/ready"));
      service.cancel(id);
    }

    assertThat(state(id)).contains("INPROGRESS");
    try (var service = RunningService.withCommand(folder, "exec sleep 300")) {
      service.awaitState(id, "CANCELLED");
    }
  }

  @Test
  void anOrphanThatAKillDoesNotEndKeepsItsRunInProgress() {
    String id;
    try (var service = RunningService.withCommand(folder, "cat")) {
      id = service.create("x");
      service.awaitState(id, "SUCCEEDED");
    }
    // As after a crash while its agent worked.
    try (var database = Database.sqlite(folder.resolve("agent-runs.db"))) {
      int _ = database.write(rows -> rows.change("UPDATE runs SET state = 'INPROGRESS'"));
    }

    var spawner = new WithSurvivor();
    try (var service = RunningService.withSpawner(folder, "cat", Setup.USUAL, spawner)) {
      // The second try begins after the end of the first.
      await().atMost(Duration.ofSeconds(60)).until(() -> spawner.triesToEndOrphans.get() == 2);

      assertThat(service.state(id)).isEqualTo("INPROGRESS");
    }
  }

  private Optional<String> state(String id) {
    try (var database = Database.sqlite(folder.resolve("agent-runs.db"))) {
      return database.read(
          rows ->
              rows.first("SELECT state FROM runs WHERE id = ?", row -> row.getString("state"), id));
    }
  }

  private static final class WithSurvivor implements Spawner {
    // No signal reaches it, because no process has this id.
    private static final ProcessStatus SURVIVOR =
        new ProcessStatus(Integer.MAX_VALUE, "survivor", true, 1, 0, Long.MAX_VALUE);

    private final Spawner system = Spawner.system();
    private final AtomicInteger triesToEndOrphans = new AtomicInteger();

    @Override
    public ProcessTree leftBehind(RunTable.ClaimedExecution execution) {
      triesToEndOrphans.incrementAndGet();
      return ProcessTree.of(Optional.empty(), ExecutionRequest.internal(execution.runId()), this);
    }

    @Override
    public List<ProcessStatus> orphans(List<ProcessStatus> children) {
      return List.of(SURVIVOR);
    }

    @Override
    public Process process(ProcessBuilder builder) throws IOException {
      return system.process(builder);
    }

    @Override
    public Thread virtual(String name, Runnable work) {
      return system.virtual(name, work);
    }

    @Override
    public Thread daemon(String name, Runnable work) {
      return system.daemon(name, work);
    }
  }
}
