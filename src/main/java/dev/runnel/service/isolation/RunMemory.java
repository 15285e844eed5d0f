package dev.runnel.service.isolation;

import dev.runnel.memory.Lease;
import dev.runnel.memory.Share;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// The memory in which the output and the pending input of one run wait: a part of the share for
/// runs, see [RunShares]. Thread-safe.
///
/// | for | bytes that are always free | at most |
/// |---|---|---|
/// | lines that wait, and those that are being read | 1,216 KiB | a quarter of the share |
/// | input that the agent has not read | 192 KiB | 2 MiB |
/// | what is collected between two commits, and buffers | 640 KiB | 640 KiB |
public final class RunMemory implements AutoCloseable {
  /// The longest line of output in bytes. It is long because cut JSON cannot be parsed at all.
  public static final int MAX_LINE = 1024 * 1024;

  /// More than the responses and messages that an agent has not read yet.
  static final long MAX_INPUT = 2L * 1024 * 1024;

  /// Lines up to this length are decoded without a turn: all runs together need less for them than
  /// for one long line.
  static final int SHORT_LINE = 8 * 1024;

  private static final int KIB = 1024;

  /// One line of each stream can always be read to its end.
  private static final long LINES = MAX_LINE + LineReader.MAX + 128 * KIB;

  private static final long INPUT = 192 * KIB;
  private static final long COLLECTED = 640 * KIB;
  static final long GUARANTEED = LINES + INPUT + COLLECTED;
  private static final long GROWTH = 256 * KIB;

  /// The output is no longer wanted.
  public static final class ClosedException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    ClosedException() {
      super("The output of this run is no longer recorded");
    }
  }

  /// Permits the decoding of one line.
  public interface Turn extends AutoCloseable {
    @Override
    void close();
  }

  private final Semaphore decoder;
  private final Runnable closed;
  private final Lease lines;
  private final Lease input;
  private final Lease collected;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition freed = lock.newCondition();

  // What follows is guarded by the lock.
  private long takenByLines;
  private long takenByInput;
  private int waiting;
  private long waitedNanos;
  private boolean isClosed;

  /// @param part of one run, with at least [#GUARANTEED] bytes
  /// @param decoder one permit for all runs
  /// @param closed called once at the end
  RunMemory(Share part, Semaphore decoder, Runnable closed) {
    this.decoder = decoder;
    this.closed = closed;
    this.lines = part.tryTake(LINES).orElseThrow();
    this.input = part.tryTake(INPUT).orElseThrow();
    this.collected = part.tryTake(COLLECTED).orElseThrow();
  }

  /// Takes memory for output. Waits while it is spent, so that the pipe is not read.
  ///
  /// @throws ClosedException if the output is no longer wanted
  public void take(int bytes) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      if (isClosed) {
        throw new ClosedException();
      }
      if (!tryTake(bytes)) {
        awaitRoom(bytes);
      }
    } finally {
      lock.unlock();
    }
  }

  private void awaitRoom(int bytes) throws InterruptedException {
    var start = System.nanoTime();
    waiting++;
    try {
      do {
        freed.await();
        if (isClosed) {
          throw new ClosedException();
        }
      } while (!tryTake(bytes));
    } finally {
      waiting--;
      waitedNanos += System.nanoTime() - start;
    }
  }

  private boolean tryTake(int bytes) {
    var missing = takenByLines + bytes - lines.bytes();
    if (missing > 0 && !lines.grow(Math.max(missing, GROWTH)) && !lines.grow(missing)) {
      return false;
    }
    takenByLines += bytes;
    return true;
  }

  /// Returns memory of output.
  public void free(int bytes) {
    if (bytes == 0) {
      return;
    }
    lock.lock();
    try {
      takenByLines -= bytes;
      if (takenByLines <= LINES / 2 && lines.bytes() > LINES) {
        lines.shrink(lines.bytes() - LINES);
      }
      freed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Whether a thread waits to take memory for output.
  public boolean isAwaited() {
    lock.lock();
    try {
      return waiting > 0;
    } finally {
      lock.unlock();
    }
  }

  /// How long the output has waited for memory so far: how much the agent was slowed.
  public Duration waited() {
    lock.lock();
    try {
      return Duration.ofNanos(waitedNanos);
    } finally {
      lock.unlock();
    }
  }

  /// Takes memory for input that the agent is to read.
  ///
  /// @return false if too much waits already
  public boolean tryTakeInput(long bytes) {
    lock.lock();
    try {
      if (!hasRoomForInput(bytes)) {
        return false;
      }
      takenByInput += bytes;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /// Whether [#tryTakeInput] would take these bytes now.
  public boolean hasRoomForInput(long bytes) {
    lock.lock();
    try {
      var needed = takenByInput + bytes;
      return needed <= MAX_INPUT && (needed <= input.bytes() || input.grow(needed - input.bytes()));
    } finally {
      lock.unlock();
    }
  }

  /// Returns memory of input that was written.
  public void freeInput(long bytes) {
    lock.lock();
    try {
      takenByInput -= bytes;
      if (takenByInput <= INPUT && input.bytes() > INPUT) {
        input.shrink(input.bytes() - INPUT);
      }
    } finally {
      lock.unlock();
    }
  }

  /// Waits for the turn to decode a line. One long line at a time is decoded in the whole process,
  /// because its text and what is parsed from it take many times its bytes. Nobody may take memory
  /// of a run during the turn.
  ///
  /// @param bytes the length of the line
  public Turn decoding(int bytes) throws InterruptedException {
    if (bytes <= SHORT_LINE) {
      return () -> {};
    }
    decoder.acquire();
    return decoder::release;
  }

  /// Returns all memory, and lets those end who wait for some.
  @Override
  public void close() {
    lock.lock();
    try {
      if (isClosed) {
        return;
      }
      isClosed = true;
      lines.close();
      input.close();
      collected.close();
      freed.signalAll();
    } finally {
      lock.unlock();
    }
    closed.run();
  }
}
