package dev.runnel.service.output;

import dev.runnel.service.agent.Dialogue;
import dev.runnel.service.agent.Harness;
import dev.runnel.service.isolation.RunningProcess;
import dev.runnel.service.process.Spawner;
import dev.runnel.service.run.ClaimLost;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.store.ExecutionRecords;
import dev.runnel.service.store.RunWatchers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Gives the follow-ups of a run to its agent while it works, if the agent has a [Dialogue], and
/// closes the agent's input when it has finished. Ends the agent if a follow-up interrupts it.
///
/// A follow-up is stored as offered before it is written to the agent, and as taken when the agent
/// reports that it has read it. What it has not read when it ends waits for the next execution. If
/// this process is killed in between, nobody can tell, and the next execution says so to the agent.
public final class Steering implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Steering.class);

  // Covers a database that was unavailable at that moment.
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(5);

  // An agent that has finished goes on with the next message at once.
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final ExecutionRequest executionRequest;
  // Empty also if the agent runs where its input ends at the start.
  private volatile Optional<Dialogue> dialogue;
  private final ExecutionRecords records;
  private final Runnable interrupt;
  private final Semaphore changes = new Semaphore(0);
  private final RunWatchers.Watch watch;

  // Guarded by this: the follow-ups that were written to the agent, and that it has not read.
  private final Set<String> offered = new HashSet<>();
  // Guarded by this.
  private Optional<RunningProcess.WithInput> process = Optional.empty();
  // Guarded by this: what was written before the process was known.
  private final List<String> unwritten = new ArrayList<>();
  // Guarded by this.
  private boolean isClosed;
  // Guarded by this: since when the agent has finished, by System.nanoTime(), while it has offers.
  private Optional<Long> finishedAt = Optional.empty();

  /// @param interrupt ends the agent, because a follow-up does not wait for it
  public Steering(
      ExecutionRequest executionRequest,
      Harness.OutputParser outputParser,
      ExecutionRecords records,
      RunWatchers watchers,
      Runnable interrupt) {
    this.executionRequest = executionRequest;
    this.dialogue = outputParser instanceof Dialogue open ? Optional.of(open) : Optional.empty();
    this.records = records;
    this.interrupt = interrupt;
    this.watch = watchers.watch(executionRequest.runId(), changes::release);
  }

  /// Whether the agent takes messages while it works; known when it has begun.
  public boolean isPossible() {
    return dialogue.isPresent();
  }

  /// Begins with the agent's process; without a dialogue its input is closed.
  public void begin(Spawner spawner, RunningProcess started) {
    if (started instanceof RunningProcess.WithInput open) {
      if (dialogue.isEmpty()) {
        open.closeInput();
      }
      synchronized (this) {
        process = Optional.of(open);
        unwritten.forEach(open::write);
      }
    } else {
      dialogue = Optional.empty();
    }
    spawner.virtual("steering " + executionRequest.runId(), this::work);
  }

  /// Whether the agent was given this message, and has not read it before.
  synchronized boolean isOffered(String followUp) {
    return offered.contains(followUp);
  }

  /// The agent has read a message, and goes on.
  synchronized void taken(String followUp) {
    offered.remove(followUp);
    finishedAt = Optional.empty();
  }

  /// The agent has finished, or failed. It goes on if it has not read all that it was given.
  synchronized void finished() {
    if (offered.isEmpty()) {
      end();
    } else if (finishedAt.isEmpty()) {
      finishedAt = Optional.of(System.nanoTime());
    }
  }

  /// Writes a line to the agent, which has a dialogue.
  synchronized void write(String line) {
    if (process.isPresent()) {
      process.get().write(line + "\n");
    } else {
      unwritten.add(line + "\n");
    }
  }

  @Override
  public void close() {
    watch.close();
    synchronized (this) {
      end();
    }
    changes.release();
  }

  private synchronized void end() {
    isClosed = true;
    process.ifPresent(RunningProcess.WithInput::closeInput);
  }

  private void work() {
    try {
      while (offerAll()) {
        if (isInterrupted()) {
          interrupt.run();
          return;
        }
        if (changes.tryAcquire(LOOK_AGAIN.toMillis(), TimeUnit.MILLISECONDS)) {
          changes.drainPermits();
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// @return whether there may be more to offer
  private synchronized boolean offerAll() {
    if (isClosed) {
      return false;
    }
    if (finishedAt.isPresent() && System.nanoTime() - finishedAt.get() > PATIENCE.toNanos()) {
      log.warn("agent does not read what it was given run={}", executionRequest.runId());
      end();
      return false;
    }
    try {
      if (dialogue.isPresent()) {
        for (var followUp : records.offer(executionRequest, this::line)) {
          offered.add(followUp.id());
          process.orElseThrow().write(followUp.line());
        }
      }
    } catch (ClaimLost _) {
      return false;
    } catch (RuntimeException | OutOfMemoryError e) {
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
    return dialogue.flatMap(open -> open.message(id, text)).map(line -> line + "\n");
  }
}
