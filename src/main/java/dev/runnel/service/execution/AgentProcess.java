package dev.runnel.service.execution;

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
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// An agent at work: a process in a session of its own, where the system has `setsid`, so that no
/// signal to Runnel's terminal reaches it.
final class AgentProcess {
  /// Takes its output; each method is called by a thread of its own and may make it wait.
  interface Sink {
    void out(String line);

    void err(String line);
  }

  /// JSON that lost its end could not be read at all.
  private static final int MAX_LINE = 1024 * 1024;

  private static final Logger log = LoggerFactory.getLogger(AgentProcess.class);

  private final ExecutionRequest executionRequest;
  private final Process process;
  private final List<Thread> readers = new ArrayList<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  private AgentProcess(ExecutionRequest executionRequest, Process process) {
    this.executionRequest = executionRequest;
    this.process = process;
  }

  /// @param environment all of it: nothing is inherited
  /// @throws IOException when the program is not there, or cannot be run
  /// @throws Spawner.NoRoomException when there is no room; a part of it may run all the same
  static AgentProcess start(
      Spawner spawner,
      ExecutionRequest executionRequest,
      List<String> command,
      Path folder,
      Map<String, String> environment,
      String input,
      Sink sink)
      throws IOException {
    var whole = new ArrayList<String>();
    Executables.find("setsid", environment).ifPresent(setsid -> whole.add(setsid.toString()));
    whole.addAll(command);
    var builder = new ProcessBuilder(whole).directory(folder.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    var process = spawner.process(builder);
    var started = new AgentProcess(executionRequest, process);
    try {
      started.connect(spawner, input, sink);
    } catch (RuntimeException e) {
      // Nobody would take its output.
      process.destroyForcibly();
      throw e;
    }
    return started;
  }

  /// Platform threads: a blocked read of a pipe would hold a virtual thread's carrier.
  private void connect(Spawner spawner, String input, Sink sink) {
    spawner.daemon("agent-input", () -> write(input));
    readers.add(
        spawner.daemon("agent-output", () -> read(process.getInputStream(), MAX_LINE, sink::out)));
    readers.add(
        spawner.daemon(
            "agent-errors", () -> read(process.getErrorStream(), LineReader.MAX, sink::err)));
  }

  long pid() {
    return process.pid();
  }

  Optional<Instant> startedAt() {
    return process.info().startInstant();
  }

  /// Waits until the started process itself has ended; its children may live on.
  ///
  /// @return the exit status
  int awaitExit() throws InterruptedException {
    return process.waitFor();
  }

  /// See [ProcessTree#end].
  boolean end(Duration grace) {
    return ProcessTree.of(
            process.toHandle(), executionRequest.runId(), executionRequest.execution())
        .end(grace);
  }

  /// Waits until all output was taken, but not for a pipe that somebody keeps open for good.
  void awaitOutput(Duration patience) throws InterruptedException {
    for (var reader : readers) {
      reader.join(patience);
    }
  }

  /// Why its input or output could not be handled; it was killed then.
  Optional<Throwable> failure() {
    return Optional.ofNullable(failure.get());
  }

  private void write(String input) {
    try (var stdin = process.getOutputStream()) {
      stdin.write(input.getBytes(StandardCharsets.UTF_8));
    } catch (IOException _) {
      // An agent need not read what it is asked.
    } catch (RuntimeException | OutOfMemoryError e) {
      fail(e);
    }
  }

  private void read(InputStream stream, int longest, Consumer<String> lines) {
    try (stream) {
      LineReader.read(stream, longest, lines);
    } catch (IOException | UncheckedIOException _) {
      // The process ended and took the pipe along.
    } catch (RuntimeException | OutOfMemoryError e) {
      fail(e);
    }
  }

  /// An agent whose output nobody takes would wait for ever.
  private void fail(Throwable why) {
    failure.compareAndSet(null, why);
    process.destroyForcibly();
    log.error("agent's pipe broke run={}", executionRequest.runId(), why);
  }
}
