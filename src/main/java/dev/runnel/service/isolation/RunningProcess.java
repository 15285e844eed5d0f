package dev.runnel.service.isolation;

import dev.runnel.service.run.ExecutionResult;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// A program of an execution, wherever it runs, and all processes that it started. Thread-safe.
public interface RunningProcess {
  /// Receives its output. Each method is called by its own thread, and may block it.
  interface Sink {
    void out(String line);

    void err(String line);
  }

  /// One whose standard input stays open after its start. The input of others ends there.
  interface WithInput extends RunningProcess {
    /// Writes to its standard input, without waiting for it.
    void write(String more);

    /// Closes its standard input after everything that was written.
    void closeInput();
  }

  /// The process id on this machine; 0 elsewhere.
  default long pid() {
    return 0;
  }

  default Optional<Instant> startedAt() {
    return Optional.empty();
  }

  /// Waits until the program itself has ended; what it started may still be running.
  ///
  /// @return the exit status
  int awaitExit() throws InterruptedException;

  /// Asks all processes to terminate, kills those left after the grace time, and returns when none
  /// is left. May be called at any time, and repeatedly.
  ///
  /// @return false if it cannot be proved that none is left
  boolean end(Duration grace);

  /// The bytes of files that its processes have open although no folder has them any more.
  default long unlinkedBytes() {
    return 0;
  }

  /// Waits until all output has been passed on, or for `patience` per stream.
  void awaitOutput(Duration patience) throws InterruptedException;

  /// Why handling its input or output failed in this process; the program was killed then.
  default Optional<Throwable> failure() {
    return Optional.empty();
  }

  /// How the execution ends if the place where it ran ended it, or never started it; empty if it
  /// ended by itself.
  default Optional<ExecutionResult> problem() {
    return Optional.empty();
  }
}
