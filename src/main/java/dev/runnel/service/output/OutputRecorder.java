package dev.runnel.service.output;

import dev.runnel.database.DatabaseException;
import dev.runnel.service.agent.AgentEvent;
import dev.runnel.service.isolation.OutputLine;
import dev.runnel.service.isolation.RunMemory;
import dev.runnel.service.isolation.RunningProcess;
import dev.runnel.service.process.Spawner;
import dev.runnel.service.run.ClaimLost;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.Usage;
import dev.runnel.service.store.ExecutionRecords;
import dev.runnel.threads.SupervisedThread;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Records an execution's output in the transcript, in batches.
///
/// Lines wait as bytes, in the memory of the run. While that is spent, the output is not read, so
/// an agent that writes too fast is blocked by the disk. Whatever error ends the recording, nobody
/// goes on waiting for it.
public final class OutputRecorder implements RunningProcess.Sink {
  private static final Logger log = LoggerFactory.getLogger(OutputRecorder.class);
  private static final int MAX_BATCH = 500;
  private static final long BATCH_MILLIS = 100;
  private static final Duration POLL_INTERVAL = Duration.ofMillis(100);

  /// How long a stopped run may still record what its agent has written.
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(1);

  /// A commit may take so long.
  private static final Duration END_TIMEOUT = Duration.ofSeconds(15);

  private sealed interface Item {
    record Out(OutputLine line) implements Item {}

    record Err(OutputLine line) implements Item {}

    /// End of the output.
    record End() implements Item {}
  }

  private final ExecutionRequest executionRequest;
  private final Steering steering;
  private final PermissionRequests permissionRequests;
  private final ExecutionRecords records;
  private final RunMemory memory;
  private final BooleanSupplier awaitRetry;
  private final Runnable whenFailed;
  // Bounded by the memory of the run, which each line holds.
  private final BlockingQueue<Item> queue = new LinkedBlockingQueue<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean hasEnded;
  private volatile boolean isStopped;
  private volatile long dropFrom;
  private volatile @Nullable Throwable writeFailure;
  // Written by the writer thread only.
  private volatile Usage reported = Usage.NONE;
  private volatile boolean finished;

  // Confined to the writer thread, and after its end to the thread that awaited it.
  private final OutputCollector collector;
  private final Deque<String> readMessages = new ArrayDeque<>();

  /// @param collector used by this recorder alone
  /// @param memory of the run
  /// @param awaitRetry waits, while the database does not accept the end of the output, and returns
  ///   whether to try again
  /// @param whenFailed ends the agent, whose output is no longer recorded; see [#failure]
  public OutputRecorder(
      Spawner spawner,
      ExecutionRequest executionRequest,
      OutputCollector collector,
      Steering steering,
      PermissionRequests permissionRequests,
      ExecutionRecords records,
      RunMemory memory,
      BooleanSupplier awaitRetry,
      Runnable whenFailed) {
    this.executionRequest = executionRequest;
    this.collector = collector;
    this.steering = steering;
    this.permissionRequests = permissionRequests;
    this.records = records;
    this.memory = memory;
    this.awaitRetry = awaitRetry;
    this.whenFailed = whenFailed;
    collector.saveWith(this::save);
    var name = "transcript " + executionRequest.runId();
    var _ = spawner.virtual(name, SupervisedThread.supervised(name, this::write, this::end));
  }

  @Override
  public RunMemory memory() {
    return memory;
  }

  @Override
  public void received(int bytes) {}

  @Override
  public void out(OutputLine line) {
    put(new Item.Out(line));
  }

  @Override
  public void err(OutputLine line) {
    put(new Item.Err(line));
  }

  private void put(Item item) {
    queue.add(item);
    if (hasEnded) {
      discard();
      var why = writeFailure;
      if (why != null) {
        throw new IllegalStateException("The transcript cannot be written", why);
      }
    }
  }

  /// Returns the memory of lines that nobody takes any more.
  private void discard() {
    for (var item = queue.poll(); item != null; item = queue.poll()) {
      switch (item) {
        case Item.Out(OutputLine line) -> line.close();
        case Item.Err(OutputLine line) -> line.close();
        case Item.End() -> {}
      }
    }
  }

  /// Notes that the run is stopped. What its agent has written is recorded for one more second.
  public void stop() {
    stop(STOP_TIMEOUT);
  }

  void stop(Duration timeout) {
    if (!isStopped) {
      dropFrom = System.nanoTime() + timeout.toNanos();
      isStopped = true;
    }
  }

  /// Records the remaining output.
  ///
  /// @param runIsStopped whether the run was stopped, so that nobody waits for the rest for long
  public OutputCollector.Summary finish(BooleanSupplier runIsStopped) throws InterruptedException {
    queue.add(new Item.End());
    while (!ended.await(POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
      if (runIsStopped.getAsBoolean()) {
        stop();
        if (!ended.await(STOP_TIMEOUT.plus(END_TIMEOUT).toSeconds(), TimeUnit.SECONDS)) {
          writeFailure = new IllegalStateException("The output was not recorded in time");
          return OutputCollector.Summary.NONE;
        }
      }
    }
    return writeFailure == null ? collector.summary() : OutputCollector.Summary.NONE;
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

  private void write() throws InterruptedException {
    while (handleBatch()) {
      save();
    }
    saveEnd();
  }

  /// Releases all who wait for this thread.
  private void end(Optional<Throwable> failure) {
    failure.ifPresent(why -> writeFailure = why);
    hasEnded = true;
    discard();
    ended.countDown();
    if (failure.isPresent()) {
      whenFailed.run();
    }
  }

  /// Why the output could not be recorded.
  public Optional<Throwable> failure() {
    return Optional.ofNullable(writeFailure);
  }

  /// Waits for a line, then handles further lines until the batch is full or its time has passed.
  private boolean handleBatch() throws InterruptedException {
    var item = queue.take();
    var deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(BATCH_MILLIS);
    for (int count = 0; item != null; count++) {
      switch (item) {
        case Item.Out(OutputLine line) -> handle(line, true);
        case Item.Err(OutputLine line) -> handle(line, false);
        case Item.End() -> {
          collector.end(memory.waited());
          return false;
        }
      }
      if (count == MAX_BATCH) {
        return true;
      }
      item = queue.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    }
    return true;
  }

  private void handle(OutputLine line, boolean isOut) throws InterruptedException {
    try (line) {
      if (isStopped && System.nanoTime() - dropFrom >= 0) {
        collector.addDropped();
        return;
      }
      try (var _ = memory.decoding(line.size())) {
        if (line.isCut()) {
          collector.addCut();
        }
        if (isOut) {
          handleOut(line.text());
        } else {
          tolerant(() -> collector.addErrorLine(line.text()));
        }
      }
    }
  }

  private void handleOut(String text) {
    // The agent waits for the answer, so an error here ends the recording and the agent.
    permissionRequests.handleLine(text);
    var events = new ArrayList<AgentEvent>();
    tolerant(() -> events.addAll(collector.parse(text)));
    events.forEach(this::handle);
    if (collector.hasEnded()) {
      steering.finished();
    }
  }

  /// Handles what an agent wrote. Output that cannot be handled must not end the recording.
  private void tolerant(Runnable work) {
    try {
      work.run();
    } catch (ClaimLost | OutOfMemoryError e) {
      throw e;
    } catch (Throwable e) {
      log.warn(
          "cannot handle agent output run={} error={}",
          executionRequest.runId(),
          e.getClass().getName());
      collector.addUnreadable();
    }
  }

  private void handle(AgentEvent agentEvent) {
    switch (agentEvent) {
      case AgentEvent.MessageRead(String id) -> handleMessageRead(id);
      case AgentEvent.InputLine(String line) -> steering.write(line);
      default -> tolerant(() -> collector.add(agentEvent));
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
