package dev.runnel.service.execution;

import dev.runnel.database.DatabaseException;
import dev.runnel.service.agent.AgentEnvironment;
import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.isolation.RunningProcess;
import dev.runnel.service.process.Spawner;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.TranscriptLine;
import dev.runnel.service.run.Usage;
import dev.runnel.service.store.ExecutionRecords;
import dev.runnel.service.store.TranscriptRows.Entry;
import dev.runnel.service.workspace.CommandRunner;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.RunHome;
import dev.runnel.service.workspace.StoppedException;
import dev.runnel.service.workspace.Workspaces;
import dev.runnel.text.Redactor;
import dev.runnel.text.TerminalText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs git and setup commands for one execution, within its start deadline.
final class SetupRunner implements CommandRunner {
  private static final Logger log = LoggerFactory.getLogger(SetupRunner.class);
  private static final Duration OUTPUT_PATIENCE = Duration.ofSeconds(2);
  private static final int CANNOT_RUN = 126;

  /// The context of the commands.
  ///
  /// @param environment variables that every program of the run receives
  /// @param lent additional variables for setup commands
  /// @param network the network of setup commands
  /// @param redactor removes secrets from the output
  /// @param began notified of every started process, so that it can be ended
  /// @param stopped whether the execution was stopped meanwhile
  record Around(
      ExecutionRequest job,
      Environment chosen,
      Workspaces workspaces,
      Map<String, String> environment,
      Map<String, String> lent,
      ExecutionNetwork network,
      Redactor redactor,
      Consumer<RunningProcess> began,
      BooleanSupplier stopped) {}

  private final Spawner spawner;
  private final Around around;
  private final ServiceSettings settings;
  private final Optional<ExecutionRecords> records;
  private final long deadline;

  /// @param records records progress for people; empty to record nothing
  SetupRunner(
      Spawner spawner,
      Around around,
      ServiceSettings settings,
      Optional<ExecutionRecords> records) {
    this(spawner, around, settings, records, settings.limits().start());
  }

  /// @param limit maximum duration of all commands together
  SetupRunner(
      Spawner spawner,
      Around around,
      ServiceSettings settings,
      Optional<ExecutionRecords> records,
      Duration limit) {
    this.spawner = spawner;
    this.around = around;
    this.settings = settings;
    this.records = records;
    this.deadline = System.nanoTime() + limit.toNanos();
  }

  @Override
  public Result program(List<String> command, Path folder, Map<String, String> variables)
      throws StoppedException, InterruptedException {
    var environment = new HashMap<>(settings.variables(AgentEnvironment.FOR_GIT));
    environment.putAll(around.environment());
    environment.putAll(variables);
    return run(command, Optional.empty(), folder, environment);
  }

  @Override
  public Result script(String command, Path folder) throws StoppedException, InterruptedException {
    var environment = new HashMap<>(settings.variables(settings.isolation().variables()));
    environment.putAll(around.environment());
    environment.putAll(around.lent());
    var place = Optional.<Isolation.Place>empty();
    if (isIsolated()) {
      var home = home();
      environment.putAll(Isolation.variables(home));
      var ofNetwork = around.network().variables(environment);
      environment.putAll(ofNetwork);
      var names = new HashSet<>(around.lent().keySet());
      names.addAll(ofNetwork.keySet());
      place =
          Optional.of(
              new Isolation.Place(
                  around.job(),
                  around.workspaces().root(around.job().runId()),
                  folder,
                  around.chosen(),
                  names,
                  List.of(),
                  home,
                  around.network().network()));
    }
    var result = run(List.of("/bin/sh", "-c", command), place, folder, environment);
    settings.isolation().cleanUp(around.job(), settings.environment());
    note(result.lastWords());
    return result;
  }

  private RunHome home() {
    try {
      return around.workspaces().home(around.job().runId(), around.chosen());
    } catch (IOException e) {
      throw new UncheckedIOException("The home folder of the run cannot be made", e);
    }
  }

  @Override
  public void tell(String progress) {
    var text = around.redactor().redact(progress);
    write(new Entry(TranscriptLine.Kind.NOTE, text), Optional.of(text));
  }

  @Override
  public void check() throws StoppedException {
    if (around.stopped().getAsBoolean()) {
      throw StoppedException.requested();
    }
    if (System.nanoTime() - deadline >= 0) {
      throw StoppedException.late();
    }
  }

  @Override
  public boolean isIsolated() {
    return settings.isolation().isOn();
  }

  private Result run(
      List<String> command,
      Optional<Isolation.Place> place,
      Path folder,
      Map<String, String> environment)
      throws StoppedException, InterruptedException {
    check();
    var output = new Output(around.redactor().lines());
    RunningProcess process;
    try {
      process =
          new Launcher(spawner, settings.isolation())
              .start(around.job(), command, place, folder, environment, "", output);
      if (process instanceof RunningProcess.WithInput open) {
        open.closeInput();
      }
    } catch (IOException e) {
      log.error(
          "cannot start program run={} program={}", around.job().runId(), command.getFirst(), e);
      return new Result(CANNOT_RUN, "", command.getFirst() + " cannot be run here.");
    }
    around.began().accept(process);
    Thread alarm;
    try {
      alarm = spawner.virtual("start-deadline", () -> endAtDeadline(process));
    } catch (Spawner.NoRoomException e) {
      process.end(Duration.ZERO);
      throw e;
    }
    try {
      var status = process.awaitExit();
      process.awaitOutput(OUTPUT_PATIENCE);
      check();
      if (process.failure().isPresent()) {
        throw new IllegalStateException("Its output was not read", process.failure().get());
      }
      if (process.problem().isPresent()) {
        return new Result(CANNOT_RUN, "", process.problem().get().message());
      }
      return output.result(status);
    } finally {
      alarm.interrupt();
    }
  }

  private void endAtDeadline(RunningProcess process) {
    try {
      Thread.sleep(Duration.ofNanos(Math.max(deadline - System.nanoTime(), 0)));
      process.end(settings.grace());
    } catch (InterruptedException _) {
      // The process ended in time.
    }
  }

  private void note(String words) {
    words
        .lines()
        .forEach(line -> write(new Entry(TranscriptLine.Kind.NOTE, line), Optional.empty()));
  }

  private void write(Entry entry, Optional<String> status) {
    records.ifPresent(
        kept -> {
          try {
            kept.recordOutput(
                around.job(),
                new ExecutionRecords.NewOutput(
                    List.of(entry), status, List.of(), Optional.empty(), Usage.NONE));
          } catch (DatabaseException e) {
            log.warn("cannot record progress run={}", around.job().runId(), e);
          }
        });
  }

  /// The output of a program, limited in size.
  private static final class Output implements RunningProcess.Sink {
    private static final int MAX_OUTPUT = 1024 * 1024;
    private static final int LAST_LINES = 10;
    private static final int MAX_LINE = 300;

    // All guarded by this.
    private final Redactor.Lines redacted;
    private final StringBuilder output = new StringBuilder();
    private final Deque<String> last = new ArrayDeque<>();

    Output(Redactor.Lines redacted) {
      this.redacted = redacted;
    }

    @Override
    public synchronized void out(String line) {
      if (output.length() < MAX_OUTPUT) {
        output.append(line).append('\n');
      }
      remember(line);
    }

    @Override
    public synchronized void err(String line) {
      remember(line);
    }

    synchronized Result result(int status) {
      return new Result(status, output.toString(), String.join("\n", last));
    }

    private void remember(String line) {
      redacted.next(TerminalText.plain(line)).filter(text -> !text.isBlank()).ifPresent(this::keep);
    }

    private void keep(String line) {
      last.addLast(line.length() <= MAX_LINE ? line : line.substring(0, MAX_LINE) + "…");
      if (last.size() > LAST_LINES) {
        last.removeFirst();
      }
    }
  }
}
