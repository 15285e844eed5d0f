package dev.runnel.service.output;

import dev.runnel.service.agent.Dialogue;
import dev.runnel.service.agent.Harness;
import dev.runnel.service.isolation.RunningProcess;
import dev.runnel.service.process.Spawner;
import dev.runnel.service.run.ClaimLost;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.store.ExecutionRecords;
import dev.runnel.service.store.RunWatchers;
import dev.runnel.threads.SupervisedThread;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends the follow-ups of a run to its agent while it works, if the agent has a [Dialogue], and
/// closes the agent's input when it has finished. Ends the agent if a follow-up interrupts it.
///
/// A follow-up is stored as offered before it is written to the agent, and as read when the agent
/// reports that it has read it. What the agent has not read when it ends waits for the next
/// execution, as does one for which its pending input has no room. If this process is killed in
/// between, it is not known whether the agent read the message, and the next execution tells the
/// agent so.
public final class Steering implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Steering.class);

  // Covers a database that was unavailable at that moment.
  private static final Duration POLL_INTERVAL = Duration.ofSeconds(5);

  // An agent that has finished normally reads the next message at once.
  private static final Duration READ_TIMEOUT = Duration.ofMinutes(1);

  private static final int MAX_PENDING_LINES = 100;

  private final ExecutionRequest executionRequest;
  // Also empty if the agent's input is closed after the start.
  private volatile Optional<Dialogue> dialogue;
  private final ExecutionRecords records;
  private final Runnable interrupt;
  private final Semaphore changes = new Semaphore(0);
  private final RunWatchers.Watch watch;

  // Guarded by this: the follow-ups that were written to the agent and that it has not read.
  private final Set<String> offered = new HashSet<>();
  // Guarded by this.
  private Optional<RunningProcess.WithInput> process = Optional.empty();
  // Guarded by this: the lines that were written before the start of the process.
  private final List<String> pendingLines = new ArrayList<>();
  // Guarded by this.
  private boolean isClosed;
  // Guarded by this: when the agent finished although it had unread messages, by System.nanoTime().
  private Optional<Long> finishedAt = Optional.empty();

  /// @param interrupt ends the agent, because a follow-up asks for that
  public Steering(
      ExecutionRequest executionRequest,
      Harness.OutputParser outputParser,
      ExecutionRecords records,
      RunWatchers watchers,
      Runnable interrupt) {
    this.executionRequest = executionRequest;
    this.dialogue = outputParser instanceof Dialogue agent ? Optional.of(agent) : Optional.empty();
    this.records = records;
    this.interrupt = interrupt;
    this.watch = watchers.watch(executionRequest.runId(), changes::release);
  }

  /// Whether the agent accepts messages while it works; only valid after [#begin].
  public boolean isPossible() {
    return dialogue.isPresent();
  }

  /// Starts sending messages to the agent's process. Without a dialogue, closes its input.
  public void begin(Spawner spawner, RunningProcess started) {
    if (started instanceof RunningProcess.WithInput agent) {
      if (dialogue.isEmpty()) {
        agent.closeInput();
      }
      synchronized (this) {
        process = Optional.of(agent);
        pendingLines.forEach(agent::write);
      }
    } else {
      synchronized (this) {
        dialogue = Optional.empty();
        pendingLines.clear();
      }
    }
    var name = "steering " + executionRequest.runId();
    // An agent whose input stays open after such an error would never end.
    spawner.virtual(
        name,
        SupervisedThread.supervised(name, this::work, error -> error.ifPresent(_ -> closeInput())));
  }

  /// Whether this message was written to the agent and is not read yet.
  synchronized boolean isOffered(String followUp) {
    return offered.contains(followUp);
  }

  /// Notes that the agent has read a message and continues.
  synchronized void messageRead(String followUp) {
    offered.remove(followUp);
    finishedAt = Optional.empty();
  }

  /// Notes that the agent has finished or failed. Closes its input, unless it still has messages to
  /// read.
  synchronized void finished() {
    if (offered.isEmpty()) {
      closeInput();
    } else if (finishedAt.isEmpty()) {
      finishedAt = Optional.of(System.nanoTime());
    }
  }

  /// Writes a line to the agent, if its input is open.
  synchronized void write(String line) {
    if (process.isPresent()) {
      process.get().write(line + "\n");
    } else if (dialogue.isPresent()) {
      if (pendingLines.size() >= MAX_PENDING_LINES) {
        throw new IllegalStateException("The agent makes requests before it has started");
      }
      pendingLines.add(line + "\n");
    }
  }

  @Override
  public void close() {
    watch.close();
    synchronized (this) {
      closeInput();
    }
    changes.release();
  }

  private synchronized void closeInput() {
    isClosed = true;
    process.ifPresent(RunningProcess.WithInput::closeInput);
  }

  private void work() throws InterruptedException {
    while (offerAll()) {
      if (isInterrupted()) {
        interrupt.run();
        return;
      }
      if (changes.tryAcquire(POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
        changes.drainPermits();
      }
    }
  }

  /// @return whether there may be more to offer
  private synchronized boolean offerAll() {
    if (isClosed) {
      return false;
    }
    if (finishedAt.isPresent() && System.nanoTime() - finishedAt.get() > READ_TIMEOUT.toNanos()) {
      log.warn("agent does not read its messages run={}", executionRequest.runId());
      closeInput();
      return false;
    }
    try {
      if (dialogue.isPresent()) {
        var agent = process.orElseThrow();
        var offeredBytes = new AtomicInteger();
        for (var followUp :
            records.offer(
                executionRequest,
                (id, text) ->
                    line(id, text)
                        .filter(
                            line ->
                                agent.hasRoomFor(
                                    offeredBytes.addAndGet(
                                        line.getBytes(StandardCharsets.UTF_8).length))))) {
          offered.add(followUp.id());
          agent.write(followUp.line());
        }
      }
    } catch (ClaimLost _) {
      return false;
    } catch (RuntimeException | Error e) {
      log.warn("cannot offer follow-ups, will retry run={}", executionRequest.runId(), e);
    }
    return true;
  }

  private boolean isInterrupted() {
    try {
      return records.isInterrupted(executionRequest);
    } catch (RuntimeException e) {
      log.warn("cannot read run, will retry run={}", executionRequest.runId(), e);
      return false;
    }
  }

  private Optional<String> line(String id, String text) {
    return dialogue.flatMap(agent -> agent.message(id, text)).map(line -> line + "\n");
  }
}
