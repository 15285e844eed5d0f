package dev.runnel.service.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.database.Database;
import dev.runnel.service.agent.AgentEvent;
import dev.runnel.service.agent.Dialogue;
import dev.runnel.service.isolation.RunningProcess;
import dev.runnel.service.process.Spawner;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.store.RunWatchers;
import dev.runnel.service.store.ServiceTables;
import dev.runnel.testkit.MigratedFile;
import dev.runnel.testkit.RunChanges;
import dev.runnel.testkit.SettableClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is written to an agent that has a dialogue.
class SteeringTest {
  private static class Remote implements RunningProcess {
    @Override
    public int awaitExit() {
      return 0;
    }

    @Override
    public boolean end(Duration grace) {
      return true;
    }

    @Override
    public void awaitOutput(Duration patience) {
      // It writes nothing.
    }
  }

  private static final class Local extends Remote implements RunningProcess.WithInput {
    private final List<String> written = new ArrayList<>();
    private final BlockingQueue<Integer> asked = new LinkedBlockingQueue<>();
    private int room = Integer.MAX_VALUE;

    @Override
    public void write(String more) {
      written.add(more);
    }

    @Override
    public boolean hasRoomFor(int bytes) {
      asked.add(bytes);
      return bytes <= room;
    }

    @Override
    public void closeInput() {
      // It reads nothing.
    }
  }

  private static final class Talk implements Dialogue {
    @Override
    public List<AgentEvent> parse(String line) {
      return List.of();
    }

    @Override
    public Optional<String> message(String id, String text) {
      return Optional.of(text);
    }
  }

  private final Local local = new Local();
  private Database database;
  private RunChanges changes;
  private Steering steering;

  @BeforeEach
  void open(@TempDir Path folder) {
    database = MigratedFile.open(folder.resolve("agent-runs.db"), ServiceTables.ON_SQLITE);
    var clock = new SettableClock();
    changes = RunChanges.on(database, clock);
    steering =
        new Steering(
            ExecutionRequest.internal("run"),
            new Talk(),
            changes.records(),
            new RunWatchers(),
            () -> {});
  }

  @AfterEach
  void close() {
    steering.close();
    database.close();
  }

  /// The next execution gets it.
  @Test
  void messageForWhichThePendingInputHasNoRoomWaits() throws InterruptedException {
    changes
        .runs()
        .create(
            NewRun.parse(ServiceJson.newObject().put("prompt", "x")),
            Caller.MAIN,
            Optional.empty(),
            Optional.empty());
    var execution = changes.records().claimNext(0).orElseThrow();
    changes.records().launched(execution, 1, Optional.empty(), true);
    changes
        .runs()
        .followUp(
            execution.runId(),
            "é".repeat(500_000),
            Caller.MAIN,
            Optional.empty(),
            false,
            Optional.empty());
    local.room = 999_999;
    try (var working =
        new Steering(execution, new Talk(), changes.records(), new RunWatchers(), () -> {})) {
      working.begin(Spawner.system(), local);

      assertThat(local.asked.take()).isEqualTo(1_000_001);
      assertThat(local.written).isEmpty();
    }
  }

  @Test
  void inputBeforeTheProcessStartsIsWrittenAtItsStart() {
    steering.write("one");
    steering.begin(Spawner.system(), local);
    steering.write("two");

    assertThat(local.written).containsExactly("one\n", "two\n");
  }

  /// Else its output could fill the memory.
  @Test
  void inputIsNotBufferedForAProcessWithoutInput() {
    steering.write("one");
    steering.begin(Spawner.system(), new Remote());
    steering.write("two");
    steering.begin(Spawner.system(), local);

    assertThat(local.written).isEmpty();
  }
}
