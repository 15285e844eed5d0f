package dev.runnel.service.output;

import dev.runnel.database.DatabaseException;
import dev.runnel.service.agent.AgentEvent;
import dev.runnel.service.isolation.RunningProcess;
import dev.runnel.service.process.Spawner;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.Usage;
import dev.runnel.service.store.ExecutionRecords;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Records an execution's output in the transcript, in batches.
///
/// Memory use is bounded: the queue is short, so an agent that writes too fast is blocked by the
/// disk.
public final class OutputRecorder implements RunningProcess.Sink {
  private static final Logger log = LoggerFactory.getLogger(OutputRecorder.class);
  private static final int QUEUE_CAPACITY = 64;
  private static final int MAX_BATCH = 500;
  private static final long BATCH_MILLIS = 100;

  private record Line(Source source, String text) {}

  private enum Source {
    OUT,
    ERR,
    /// End of the output.
    END
  }

  private final ExecutionRequest executionRequest;
  private final Steering steering;
  private final PermissionRequests permissionRequests;
  private final ExecutionRecords records;
  private final BooleanSupplier awaitRetry;
  private final BlockingQueue<Line> queue = new ArrayBlockingQueue<>(QUEUE_CAPACITY);
  private final Thread writer;
  private volatile @Nullable Throwable writeFailure;
  // Written by the writer thread only.
  private volatile Usage reported = Usage.NONE;
  private volatile boolean finished;

  // Confined to the writer thread, and after its end to the thread that joined it.
  private final OutputCollector collector;
  private final Deque<String> readMessages = new ArrayDeque<>();
  private boolean hasTakenEnd;

  /// @param collector used by this recorder alone
  /// @param awaitRetry waits, while the database does not accept the end of the output, and returns
  ///   whether to try again
  public OutputRecorder(
      Spawner spawner,
      ExecutionRequest executionRequest,
      OutputCollector collector,
      Steering steering,
      PermissionRequests permissionRequests,
      ExecutionRecords records,
      BooleanSupplier awaitRetry) {
    this.executionRequest = executionRequest;
    this.collector = collector;
    this.steering = steering;
    this.permissionRequests = permissionRequests;
    this.records = records;
    this.awaitRetry = awaitRetry;
    this.writer = spawner.virtual("transcript " + executionRequest.runId(), this::write);
  }

  @Override
  public void out(String line) {
    put(new Line(Source.OUT, line));
  }

  @Override
  public void err(String line) {
    put(new Line(Source.ERR, line));
  }

  /// Records the remaining output.
  public OutputCollector.Summary finish() throws InterruptedException {
    queue.put(new Line(Source.END, ""));
    writer.join();
    return collector.summary();
  }

  /// The usage that the agent has reported so far. May be called by any thread.
  Usage reported() {
    return reported;
  }

  /// Whether the agent has finished and received no message since. May be called by any thread.
  boolean isFinished() {
    return finished;
  }

  /// Whether all messages that the agent read are stored as read. Call it after [#finish].
  public boolean hasStoredAll() {
    return writeFailure == null && readMessages.isEmpty();
  }

  private void put(Line line) {
    var why = writeFailure;
    if (why != null) {
      throw new IllegalStateException("The transcript cannot be written", why);
    }
    try {
      queue.put(line);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void write() {
    try {
      while (handleBatch()) {
        save();
      }
      saveEnd();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | OutOfMemoryError e) {
      writeFailure = e;
      if (!hasTakenEnd) {
        discard();
      }
    }
  }

  /// Empties the queue up to its end after a failure, so that threads blocked on it continue.
  private void discard() {
    try {
      while (queue.take().source() != Source.END) {
        // Threads that add the next line get an exception.
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// Why the output could not be recorded.
  public Optional<Throwable> failure() {
    return Optional.ofNullable(writeFailure);
  }

  /// Waits for a line, then handles further lines until the batch is full or its time has passed.
  private boolean handleBatch() throws InterruptedException {
    var line = queue.take();
    var deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(BATCH_MILLIS);
    for (int count = 0; line != null; count++) {
      switch (line.source()) {
        case OUT -> {
          permissionRequests.handleLine(line.text());
          collector.parse(line.text()).forEach(this::handle);
          if (collector.hasEnded()) {
            steering.finished();
          }
        }
        case ERR -> collector.addErrorLine(line.text());
        case END -> {
          hasTakenEnd = true;
          collector.end();
          return false;
        }
      }
      if (count == MAX_BATCH) {
        return true;
      }
      line = queue.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    }
    return true;
  }

  private void handle(AgentEvent agentEvent) {
    switch (agentEvent) {
      case AgentEvent.MessageRead(String id) -> handleMessageRead(id);
      case AgentEvent.InputLine(String line) -> steering.write(line);
      default -> collector.add(agentEvent);
    }
    reported = collector.totalUsage();
    finished = collector.isFinished();
  }

  /// Stores the earlier lines first, to keep the order.
  private void handleMessageRead(String followUp) {
    if (!steering.isOffered(followUp)) {
      return;
    }
    save();
    readMessages.add(followUp);
    saveReadMessages();
    steering.messageRead(followUp);
    permissionRequests.forget();
    collector.resume();
  }

  private void saveReadMessages() {
    try {
      for (var next = readMessages.peekFirst(); next != null; next = readMessages.peekFirst()) {
        records.markRead(executionRequest, next);
        readMessages.removeFirst();
      }
    } catch (DatabaseException e) {
      log.warn("cannot store messages as read, will retry run={}", executionRequest.runId(), e);
    }
  }

  /// Drops the lines after an error of the database, to bound the use of memory. The rest is stored
  /// with the next lines.
  private void save() {
    if (!tryToSave()) {
      var lines = collector.dropLines();
      log.error("transcript lines dropped run={} lines={}", executionRequest.runId(), lines);
    }
  }

  /// Nothing follows with which the rest could be stored, so this waits for the database.
  private void saveEnd() {
    var isSaved = tryToSave();
    while (!(isSaved && readMessages.isEmpty()) && awaitRetry.getAsBoolean()) {
      isSaved = tryToSave();
    }
  }

  /// Stores what is new. After an error of the database it is kept, except for lines and usage that
  /// may have been stored; storing the rest twice has no effect.
  ///
  /// @return whether it was stored
  private boolean tryToSave() {
    saveReadMessages();
    if (!collector.hasNew()) {
      return true;
    }
    try {
      records.recordOutput(executionRequest, collector.newOutput());
    } catch (DatabaseException e) {
      log.warn("cannot store output run={}", executionRequest.runId(), e);
      if (e.mayBeCommitted()) {
        collector.clearUnrepeatable();
      }
      return false;
    }
    collector.clear();
    return true;
  }
}
