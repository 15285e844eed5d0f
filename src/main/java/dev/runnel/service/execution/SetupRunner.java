package dev.runnel.service.execution;

import dev.runnel.database.DatabaseException;
import dev.runnel.service.agent.AgentEnvironment;
import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.isolation.OutputLine;
import dev.runnel.service.isolation.RunMemory;
import dev.runnel.service.isolation.RunningProcess;
import dev.runnel.service.process.Spawner;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.ExecutionState;
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
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
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
  private static final Duration OUTPUT_TIMEOUT = Duration.ofSeconds(2);
  private static final int CANNOT_EXECUTE = 126;

  /// The context of the commands.
  ///
  /// @param baseVariables variables that every program of the run receives
  /// @param grantedVariables additional variables for setup commands
  /// @param network the network of setup commands
  /// @param redactor removes secrets from the output
  /// @param onStart receives every started process, so that it can be ended
  /// @param stopped whether the execution was stopped
  /// @param memory in which the output waits
  record Context(
      ExecutionRequest request,
      Environment environment,
      Workspaces workspaces,
      Map<String, String> baseVariables,
      Map<String, String> grantedVariables,
      ExecutionNetwork network,
      Redactor redactor,
      Consumer<RunningProcess> onStart,
      BooleanSupplier stopped,
      RunMemory memory) {}

  private final Spawner spawner;
  private final Context context;
  private final ServiceSettings settings;
  private final Optional<ExecutionRecords> records;
  private final long deadline;
  // Confined to the worker thread.
  private Optional<ExecutionResult> failureOfService = Optional.empty();

  /// @param records records progress for people; empty to record nothing
  SetupRunner(
      Spawner spawner,
      Context context,
      ServiceSettings settings,
      Optional<ExecutionRecords> records) {
    this(spawner, context, settings, records, settings.limits().start());
  }

  /// @param limit maximum duration of all commands together
  SetupRunner(
      Spawner spawner,
      Context context,
      ServiceSettings settings,
      Optional<ExecutionRecords> records,
      Duration limit) {
    this.spawner = spawner;
    this.context = context;
    this.settings = settings;
    this.records = records;
    this.deadline = System.nanoTime() + limit.toNanos();
  }

  @Override
  public Result program(List<String> command, Path folder, Map<String, String> variables)
      throws StoppedException, InterruptedException {
    var environment = new HashMap<>(settings.variables(AgentEnvironment.FOR_GIT));
    environment.putAll(context.baseVariables());
    environment.putAll(variables);
    return run(command, Optional.empty(), folder, environment);
  }

  @Override
  public Result script(String command, Path folder) throws StoppedException, InterruptedException {
    var environment = new HashMap<>(settings.variables(settings.isolation().variables()));
    environment.putAll(context.baseVariables());
    environment.putAll(context.grantedVariables());
    var place = Optional.<Isolation.Place>empty();
    if (settings.isolation().givesHomes()) {
      var home = home();
      environment.putAll(settings.isolation().variables(home));
      var networkVariables = context.network().variables(environment);
      environment.putAll(networkVariables);
      var names = new HashSet<>(context.grantedVariables().keySet());
      names.addAll(networkVariables.keySet());
      place =
          Optional.of(
              new Isolation.Place(
                  context.request(),
                  context.workspaces().root(context.request().runId()),
                  folder,
                  context.environment(),
                  names,
                  List.of(),
                  home,
                  context.network().network()));
    }
    var result = run(List.of("/bin/sh", "-c", command), place, folder, environment);
    settings.isolation().cleanUp(context.request(), settings.environment());
    note(result.lastLines());
    return result;
  }

  /// The result of the execution if a command did not run for a reason that is not its own, such as
  /// a cluster without room.
  Optional<ExecutionResult> failureOfService() {
    return failureOfService;
  }

  private RunHome home() {
    try {
      var home = context.workspaces().home(context.request().runId(), context.environment());
      OperatorFiles.copyTo(home, settings);
      return home;
    } catch (IOException e) {
      throw new UncheckedIOException("The home folder of the run cannot be created", e);
    }
  }

  @Override
  public void reportProgress(String progress) {
    var text = context.redactor().redact(progress);
    write(new Entry(TranscriptLine.Kind.NOTE, text), Optional.of(text));
  }

  @Override
  public void requireNotStopped() throws StoppedException {
    if (context.stopped().getAsBoolean()) {
      throw StoppedException.requested();
    }
    if (System.nanoTime() - deadline >= 0) {
      throw StoppedException.late();
    }
  }

  @Override
  public boolean separatesAgents() {
    return settings.isolation().givesHomes();
  }

  private Result run(
      List<String> command,
      Optional<Isolation.Place> place,
      Path folder,
      Map<String, String> environment)
      throws StoppedException, InterruptedException {
    requireNotStopped();
    var output = new Output(context.redactor().lines(), context.memory());
    RunningProcess process;
    try {
      process =
          new Launcher(spawner, settings.isolation(), false)
              .start(context.request(), command, place, folder, environment, "", output);
      if (process instanceof RunningProcess.WithInput open) {
        open.closeInput();
      }
    } catch (IOException e) {
      log.error(
          "cannot start program run={} program={}",
          context.request().runId(),
          command.getFirst(),
          e);
      return new Result(CANNOT_EXECUTE, "", command.getFirst() + " cannot be run here.");
    }
    context.onStart().accept(process);
    Thread deadlineThread;
    try {
      deadlineThread = spawner.virtual("start-deadline", () -> endAtDeadline(process));
    } catch (Spawner.NoResourcesException e) {
      process.end(Duration.ZERO);
      throw e;
    }
    try {
      var status = process.awaitExit();
      process.awaitOutput(OUTPUT_TIMEOUT);
      requireNotStopped();
      if (process.failure().isPresent()) {
        throw new IllegalStateException("The output was not read", process.failure().get());
      }
      if (process.problem().isPresent()) {
        failureOfService =
            process.problem().filter(problem -> problem.state() == ExecutionState.ERROR);
        return new Result(CANNOT_EXECUTE, "", process.problem().get().message());
      }
      return output.result(status);
    } finally {
      deadlineThread.interrupt();
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

  private void note(String text) {
    text.lines()
        .forEach(line -> write(new Entry(TranscriptLine.Kind.NOTE, line), Optional.empty()));
  }

  private void write(Entry entry, Optional<String> status) {
    records.ifPresent(
        kept -> {
          try {
            kept.recordOutput(
                context.request(),
                new ExecutionRecords.NewOutput(
                    List.of(entry), status, List.of(), Optional.empty(), Usage.NONE));
          } catch (DatabaseException e) {
            log.warn("cannot record progress run={}", context.request().runId(), e);
          }
        });
  }

  /// The output of a program, limited in size.
  private static final class Output implements RunningProcess.Sink {
    private static final int MAX_OUTPUT = 512 * 1024;
    private static final int MAX_LAST_LINES = 10;
    private static final int MAX_LINE = 300;

    private final RunMemory memory;

    // All guarded by this. The output is kept as bytes, in the memory for what is collected.
    private final Redactor.Lines redacted;
    private final ByteArrayOutputStream output = new ByteArrayOutputStream();
    private final Deque<String> last = new ArrayDeque<>();

    Output(Redactor.Lines redacted, RunMemory memory) {
      this.redacted = redacted;
      this.memory = memory;
    }

    @Override
    public RunMemory memory() {
      return memory;
    }

    @Override
    public void received(int bytes) {}

    @Override
    public void out(OutputLine line) {
      accept(
          line,
          text -> {
            var bytes = (text + "\n").getBytes(StandardCharsets.UTF_8);
            output.write(bytes, 0, Math.min(bytes.length, MAX_OUTPUT - output.size()));
          });
    }

    @Override
    public void err(OutputLine line) {
      accept(line, _ -> {});
    }

    private void accept(OutputLine line, Consumer<String> keep) {
      try (line;
          var _ = memory.decoding(line.size())) {
        synchronized (this) {
          var text = line.text();
          keep.accept(text);
          addLastLine(text);
        }
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }

    synchronized Result result(int status) {
      return new Result(status, output.toString(StandardCharsets.UTF_8), String.join("\n", last));
    }

    private void addLastLine(String line) {
      redacted
          .next(TerminalText.plain(line))
          .filter(text -> !text.isBlank())
          .ifPresent(this::append);
    }

    private void append(String line) {
      last.addLast(line.length() <= MAX_LINE ? line : line.substring(0, MAX_LINE) + "…");
      if (last.size() > MAX_LAST_LINES) {
        last.removeFirst();
      }
    }
  }
}
