package dev.runnel.service.process;

import dev.runnel.service.isolation.LineReader;
import dev.runnel.service.isolation.OutputLine;
import dev.runnel.service.isolation.RunMemory;
import dev.runnel.service.isolation.RunningProcess;
import dev.runnel.service.run.Executables;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.threads.SupervisedThread;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The process of an agent. Where the system has `setsid`, it runs in its own session, so that no
/// signal from Runnel's terminal reaches it.
public final class AgentProcess implements RunningProcess.WithInput {
  private static final byte[] END = {};

  /// What a pending input takes in addition to its bytes.
  private static final int OVERHEAD = 64;

  private static final int CHUNK = 8 * 1024;

  private static final Logger log = LoggerFactory.getLogger(AgentProcess.class);

  private final Spawner spawner;
  private final ExecutionRequest executionRequest;
  private final Process process;
  private final List<Thread> readers = new ArrayList<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final RunMemory memory;
  private volatile boolean isInputClosed;
  private volatile boolean isInputIgnored;

  /// The input that is not written yet, after the first part; an empty one closes the stream.
  private final BlockingQueue<byte[]> input = new LinkedBlockingQueue<>();

  private AgentProcess(
      Spawner spawner, ExecutionRequest executionRequest, Process process, RunMemory memory) {
    this.spawner = spawner;
    this.executionRequest = executionRequest;
    this.process = process;
    this.memory = memory;
  }

  /// @param environment the complete environment; nothing is inherited
  /// @param input the first part of its standard input, which stays open until [#closeInput]; it is
  ///   not counted as pending, because the caller holds it anyway
  /// @throws IOException if the program does not exist or cannot be executed
  /// @throws Spawner.NoResourcesException if the machine is out of processes or threads; part of
  ///   the process tree may run nevertheless
  public static AgentProcess start(
      Spawner spawner,
      ExecutionRequest executionRequest,
      List<String> command,
      Path folder,
      Map<String, String> environment,
      String input,
      Spawner.Channel channel,
      Sink sink)
      throws IOException {
    var fullCommand = new ArrayList<String>();
    Executables.find("setsid", environment).ifPresent(setsid -> fullCommand.add(setsid.toString()));
    fullCommand.addAll(command);
    var builder = new ProcessBuilder(fullCommand).directory(folder.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    var process = spawner.process(builder, channel);
    var started = new AgentProcess(spawner, executionRequest, process, sink.memory());
    try {
      started.connect(spawner, input, sink);
    } catch (RuntimeException e) {
      // Its output would not be read.
      process.destroyForcibly();
      throw e;
    }
    return started;
  }

  /// Platform threads: a blocked read of a pipe would hold a virtual thread's carrier.
  private void connect(Spawner spawner, String firstInput, Sink sink) {
    pump(spawner, "agent-input", () -> writeInput(firstInput));
    readers.add(
        pump(
            spawner,
            "agent-output",
            () -> read(process.getInputStream(), RunMemory.MAX_LINE, sink, sink::out)));
    readers.add(
        pump(
            spawner,
            "agent-errors",
            () -> read(process.getErrorStream(), LineReader.MAX, sink, sink::err)));
  }

  /// Whatever error ends the thread also ends the process, which would wait for it forever.
  private Thread pump(Spawner spawner, String name, SupervisedThread.Work work) {
    return spawner.daemon(
        name, SupervisedThread.supervised(name, work, error -> error.ifPresent(this::fail)));
  }

  @Override
  public long pid() {
    return process.pid();
  }

  @Override
  public Optional<Instant> startedAt() {
    return process.info().startInstant();
  }

  @Override
  public int awaitExit() throws InterruptedException {
    try {
      return process.waitFor();
    } finally {
      closeInput();
    }
  }

  @Override
  public void write(String text) {
    if (text.isEmpty() || isInputClosed) {
      return;
    }
    var bytes = text.getBytes(StandardCharsets.UTF_8);
    if (memory.tryTakeInput(bytes.length + OVERHEAD)) {
      input.add(bytes);
    } else if (!isInputIgnored) {
      isInputIgnored = true;
      process.destroyForcibly();
      log.warn("agent does not read its input run={}", executionRequest.runId());
    }
  }

  @Override
  public boolean hasRoomFor(int bytes) {
    return memory.hasRoomForInput(bytes + OVERHEAD);
  }

  @Override
  public void closeInput() {
    input.add(END);
  }

  @Override
  public Optional<ExecutionResult> problem() {
    return isInputIgnored
        ? Optional.of(
            ExecutionResult.failed(
                "The agent was stopped: it asked for more and more, but did not read the answers on"
                    + " its standard input. At most 2 MiB may wait there."))
        : Optional.empty();
  }

  /// See [ProcessTree#end].
  @Override
  public boolean end(Duration grace) {
    return tree().end(grace);
  }

  @Override
  public long bytesElsewhere() {
    return tree().unlinkedBytes();
  }

  private ProcessTree tree() {
    return ProcessTree.of(Optional.of(process.toHandle()), executionRequest, spawner);
  }

  @Override
  public void awaitOutput(Duration timeout) throws InterruptedException {
    for (var reader : readers) {
      reader.join(timeout);
    }
  }

  @Override
  public Optional<Throwable> failure() {
    return Optional.ofNullable(failure.get());
  }

  private void writeInput(String first) throws InterruptedException {
    try (var stdin = process.getOutputStream()) {
      // In parts, because the writer copies what it is given.
      var writer = new OutputStreamWriter(stdin, StandardCharsets.UTF_8);
      for (int at = 0; at < first.length(); at += CHUNK) {
        writer.write(first, at, Math.min(CHUNK, first.length() - at));
      }
      writer.flush();
      for (var next = input.take(); next.length > 0; next = input.take()) {
        stdin.write(next);
        stdin.flush();
        memory.freeInput(next.length + OVERHEAD);
      }
    } catch (IOException _) {
      // An agent may ignore its input.
    } finally {
      isInputClosed = true;
    }
  }

  private void read(InputStream stream, int maxLineBytes, Sink sink, Consumer<OutputLine> lines)
      throws InterruptedException {
    try (stream) {
      LineReader.read(stream, maxLineBytes, sink, lines);
    } catch (IOException | UncheckedIOException _) {
      // The pipe was closed with the process.
    } catch (RunMemory.ClosedException _) {
      // The execution has ended.
    }
  }

  /// Kills the process: an agent whose output nobody reads would block forever.
  private void fail(Throwable why) {
    failure.compareAndSet(null, why);
    process.destroyForcibly();
    log.error("cannot handle the agent's input or output run={}", executionRequest.runId(), why);
  }
}
