package dev.runnel.service.process;

import dev.runnel.service.isolation.LineReader;
import dev.runnel.service.isolation.RunningProcess;
import dev.runnel.service.run.Executables;
import dev.runnel.service.run.ExecutionRequest;
import java.io.IOException;
import java.io.InputStream;
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
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The process of an agent. Where the system has `setsid`, it runs in its own session, so that no
/// signal from Runnel's terminal reaches it.
public final class AgentProcess implements RunningProcess.WithInput {
  /// Large, because truncated JSON cannot be parsed at all.
  private static final int MAX_LINE = 1024 * 1024;

  /// More than any prompt and its messages. It is only exceeded by an agent that makes requests
  /// without reading the responses.
  private static final long MAX_PENDING_INPUT = 64L * 1024 * 1024;

  private static final String END = "";

  private static final Logger log = LoggerFactory.getLogger(AgentProcess.class);

  private final Spawner spawner;
  private final ExecutionRequest executionRequest;
  private final Process process;
  private final List<Thread> readers = new ArrayList<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  /// The input that is not written yet; an empty string closes the stream.
  private final BlockingQueue<String> input = new LinkedBlockingQueue<>();

  // The number of characters in it.
  private final AtomicLong pendingInput = new AtomicLong();

  private AgentProcess(Spawner spawner, ExecutionRequest executionRequest, Process process) {
    this.spawner = spawner;
    this.executionRequest = executionRequest;
    this.process = process;
  }

  /// @param environment the complete environment; nothing is inherited
  /// @param input the first part of its standard input, which stays open until [#closeInput]
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
      Sink sink)
      throws IOException {
    var fullCommand = new ArrayList<String>();
    Executables.find("setsid", environment).ifPresent(setsid -> fullCommand.add(setsid.toString()));
    fullCommand.addAll(command);
    var builder = new ProcessBuilder(fullCommand).directory(folder.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    var process = spawner.process(builder);
    var started = new AgentProcess(spawner, executionRequest, process);
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
  private void connect(Spawner spawner, String input, Sink sink) {
    write(input);
    spawner.daemon("agent-input", this::writeInput);
    readers.add(
        spawner.daemon("agent-output", () -> read(process.getInputStream(), MAX_LINE, sink::out)));
    readers.add(
        spawner.daemon(
            "agent-errors", () -> read(process.getErrorStream(), LineReader.MAX, sink::err)));
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
    if (text.isEmpty()) {
      return;
    }
    if (pendingInput.addAndGet(text.length()) > MAX_PENDING_INPUT) {
      fail(new IllegalStateException("The agent does not read its input"));
      return;
    }
    input.add(text);
  }

  @Override
  public void closeInput() {
    input.add(END);
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

  private void writeInput() {
    try (var stdin = process.getOutputStream()) {
      for (var next = input.take(); !next.isEmpty(); next = input.take()) {
        stdin.write(next.getBytes(StandardCharsets.UTF_8));
        stdin.flush();
        pendingInput.addAndGet(-next.length());
      }
    } catch (IOException _) {
      // An agent may ignore its input.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | OutOfMemoryError e) {
      fail(e);
    }
  }

  private void read(InputStream stream, int maxLineBytes, Consumer<String> lines) {
    try (stream) {
      LineReader.read(stream, maxLineBytes, lines);
    } catch (IOException | UncheckedIOException _) {
      // The pipe was closed with the process.
    } catch (RuntimeException | OutOfMemoryError e) {
      fail(e);
    }
  }

  /// Kills the process: an agent whose output nobody reads would block forever.
  private void fail(Throwable why) {
    failure.compareAndSet(null, why);
    process.destroyForcibly();
    log.error("cannot handle the agent's input or output run={}", executionRequest.runId(), why);
  }
}
