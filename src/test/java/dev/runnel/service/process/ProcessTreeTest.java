package dev.runnel.service.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.store.RunTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/// Which processes end with a run.
@Tag("slow")
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class ProcessTreeTest {
  private final List<Process> started = new ArrayList<>();

  @TempDir Path folder;

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
  void orphanOfAnotherLocalRunIsNotEnded() throws IOException {
    start("RUNNEL_RUN_ID", "other");

    assertThat(endRun("mine", Set.of("mine", "other"))).isTrue();
    assertThat(started.getFirst().isAlive()).isTrue();
  }

  @Test
  void aDescendantWithItsOwnSessionAndEnvironmentIsEndedWithItsParent() throws Exception {
    var root = startMarked("env -i setsid sh -c 'echo $$; sleep 300' & wait");
    var hidden = ProcessHandle.of(Long.parseLong(firstLine(root))).orElseThrow();

    assertThat(endTree(root)).isTrue();
    assertThat(isLiving(hidden)).isFalse();
  }

  @Test
  void aMemberOfTheSessionIsEndedAlthoughItsLeaderHasEnded() throws Exception {
    var root = startMarked("env -i sh -c 'echo $$; exec sleep 300' & ");
    var member = ProcessHandle.of(Long.parseLong(firstLine(root))).orElseThrow();
    root.waitFor();

    assertThat(endTree(root)).isTrue();
    assertThat(isLiving(member)).isFalse();
  }

  @Test
  void markedProcessIsEndedDespiteAnOddNameAndANewSession() throws Exception {
    var program = folder.resolve("a) Z 1 (b");
    Files.copy(Path.of("/bin/sleep").toRealPath(), program);
    var root = startMarked("setsid \"$0\" 300 >/dev/null & echo $!; ", program.toString());
    firstLine(root);
    root.waitFor();

    assertThat(endTree(root)).isTrue();
    assertThat(ProcessHandle.allProcesses().map(ProcessHandle::info))
        .noneMatch(info -> info.command().filter(program.toString()::equals).isPresent());
  }

  @Test
  void aProcessThatStartsDuringACheckThatFindsNoneIsEnded() throws Exception {
    var late = new ArrayList<Process>();
    var spawner =
        new StartedSpawner(Set.of()) {
          @Override
          public List<ProcessStatus> orphans(List<ProcessStatus> children) {
            // The check has read the list of processes before.
            if (late.isEmpty()) {
              late.add(startUnchecked("sleep 300"));
            }
            return List.of();
          }
        };

    assertThat(endRun("tree", spawner)).isTrue();
    assertThat(late.getFirst().isAlive()).isFalse();
  }

  @Test
  void continuouslyRespawningProcessesAreEnded() throws Exception {
    var script = folder.resolve("hop");
    Files.writeString(script, "echo $$; sleep 0.01; setsid sh \"$0\" &\n");
    var root = startMarked("sh \"$0\" &", script.toString());
    // The first one is in the session of the root.
    firstLine(root);
    firstLine(root);

    assertThat(endTree(root)).isTrue();
    // Whoever is left has the output open.
    assertThat(root.inputReader().lines()).allSatisfy(line -> assertThat(line).isNotEmpty());
  }

  @Test
  void aProcessThatReusesTheIdOfALeftOneIsNotEndedNorIsItsSession() throws Exception {
    var other = startMarked("env -i sleep 300 & echo $!; wait");
    var member = ProcessHandle.of(Long.parseLong(firstLine(other))).orElseThrow();
    var longAgo = other.info().startInstant().map(it -> it.minusSeconds(3600));
    var left = new RunTable.ClaimedExecution("left", 1, "", "", Optional.of(other.pid()), longAgo);

    assertThat(ProcessTree.ofOrphan(left).end(Duration.ZERO)).isTrue();
    assertThat(other.isAlive()).isTrue();
    assertThat(isLiving(member)).isTrue();
    assertThat(endTree(other)).isTrue();
  }

  @Test
  void theSessionOfAProcessThatReusesTheIdOfTheRootIsNotEnded() throws Exception {
    var other = startMarked("env -i sleep 300 & echo $!; wait");
    firstLine(other);
    var ended = mock(ProcessHandle.class);
    when(ended.pid()).thenReturn(other.pid());
    var request = ExecutionRequest.internal("ended");

    assertThat(ProcessTree.of(Optional.of(ended), request, Spawner.system()).isEmpty()).isTrue();
    assertThat(endTree(other)).isTrue();
  }

  private void start(String variable, String value) throws IOException {
    var builder = new ProcessBuilder("sleep", "300");
    builder.environment().put(variable, value);
    started.add(builder.start());
  }

  /// Starts a marked shell in its own session, as [AgentProcess] does.
  private Process startMarked(String script, String... arguments) throws IOException {
    var command = new ArrayList<>(List.of("setsid", "sh", "-c", script));
    command.addAll(List.of(arguments));
    var builder = new ProcessBuilder(command);
    builder.environment().putAll(Map.of("RUNNEL_RUN_ID", "tree", "RUNNEL_EXECUTION", "1"));
    var process = builder.start();
    started.add(process);
    return process;
  }

  private static String firstLine(Process process) throws IOException {
    return process.inputReader().readLine();
  }

  private static boolean endTree(Process root) {
    var execution = ExecutionRequest.internal("tree").with(it -> it.execution(1).claim(""));
    return ProcessTree.of(Optional.of(root.toHandle()), execution, Spawner.system())
        .end(Duration.ZERO);
  }

  private static boolean isLiving(ProcessHandle process) {
    return ProcessStatus.of(process).filter(ProcessStatus::isLiving).isPresent();
  }

  private Process startUnchecked(String script) {
    try {
      return startMarked(script);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// @param runs the runs that are executed now
  private boolean endRun(String runId, Set<String> runs) {
    return endRun(runId, new StartedSpawner(runs));
  }

  private static boolean endRun(String runId, Spawner spawner) {
    var execution = ExecutionRequest.internal(runId).with(it -> it.execution(1).claim(""));
    return ProcessTree.of(Optional.empty(), execution, spawner).end(Duration.ofSeconds(2));
  }

  /// Takes the processes of the test for orphans.
  private class StartedSpawner implements Spawner {
    private final Set<String> runs;

    /// @param runs the runs that are executed now
    StartedSpawner(Set<String> runs) {
      this.runs = runs;
    }

    @Override
    public Process process(ProcessBuilder builder) {
      throw new AssertionError();
    }

    @Override
    public List<ProcessStatus> orphans(List<ProcessStatus> children) {
      var pids = started.stream().map(Process::pid).toList();
      return children.stream().filter(child -> pids.contains(child.pid())).toList();
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
  }
}
