package dev.runnel.service.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.service.run.ExecutionRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Which processes without a parent end with a run.
@Tag("slow")
class ProcessTreeTest {
  private final List<Process> started = new ArrayList<>();

  @AfterEach
  void end() {
    started.forEach(Process::destroyForcibly);
  }

  @Test
  void anOrphanWithAMadeUpRunIdIsEndedWithTheRun() throws IOException {
    start("RUNNEL_RUN_ID", "made-up");

    assertThat(endRun("mine", Set.of("mine", "other"))).isTrue();
    assertThat(started.getFirst().isAlive()).isFalse();
  }

  @Test
  void anOrphanWithoutARunIdIsEndedWithTheRun() throws IOException {
    start("OTHER", "x");

    assertThat(endRun("mine", Set.of("mine", "other"))).isTrue();
    assertThat(started.getFirst().isAlive()).isFalse();
  }

  @Test
  void anOrphanOfAnotherRunThatWorksHereIsLeftToIt() throws IOException {
    start("RUNNEL_RUN_ID", "other");

    assertThat(endRun("mine", Set.of("mine", "other"))).isTrue();
    assertThat(started.getFirst().isAlive()).isTrue();
  }

  private void start(String variable, String value) throws IOException {
    var builder = new ProcessBuilder("sleep", "300");
    builder.environment().put(variable, value);
    started.add(builder.start());
  }

  /// @param runs the runs that are executed now
  private boolean endRun(String runId, Set<String> runs) {
    var spawner =
        new Spawner() {
          @Override
          public Process process(ProcessBuilder builder) {
            throw new AssertionError();
          }

          @Override
          public Set<ProcessHandle> orphans() {
            return started.stream().map(Process::toHandle).collect(Collectors.toSet());
          }

          @Override
          public Set<String> runs() {
            return runs;
          }

          @Override
          public Thread virtual(String name, Runnable work) {
            throw new AssertionError();
          }

          @Override
          public Thread daemon(String name, Runnable work) {
            throw new AssertionError();
          }
        };
    var execution = ExecutionRequest.internal(runId).with(it -> it.execution(1));
    return ProcessTree.of(Optional.empty(), execution, spawner).end(Duration.ofSeconds(2));
  }
}
