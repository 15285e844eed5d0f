package dev.runnel.service.isolation;

import dev.runnel.service.run.ExecutionResult;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// A program of an execution, wherever it runs, and all processes that it started. Thread-safe.
public interface RunningProcess {
  /// Receives the output. The lines of each stream come on a thread of their own.
  interface Sink {
    /// The memory in which lines and pending input wait.
    RunMemory memory();

    /// Notes that the program has written so many bytes, also those that are cut from a line. A
    /// negative number takes back bytes that were not the program's.
    void received(int bytes);

    /// Takes over a line of standard output.
    void out(OutputLine line);

    /// Takes over a line of standard error.
    void err(OutputLine line);
  }

  /// A process whose standard input stays open after the start. Others read only the initial input.
  interface WithInput extends RunningProcess {
    /// Writes to its standard input, without waiting for it. Ends the program if too much of its
    /// input waits already; [#problem] then says so.
    void write(String text);

    /// Whether so many bytes can be written now.
    boolean hasRoomFor(int bytes);

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

  /// Asks all processes to terminate, kills those that remain after the grace time, and returns
  /// when none is left. May be called at any time, and repeatedly.
  ///
  /// @return false if it cannot be proved that none is left
  boolean end(Duration grace);

  /// The disk space in bytes that its processes take outside of the folders of the run, such as
  /// that of deleted files which they still have open.
  default long bytesElsewhere() throws IOException {
    return 0;
  }

  /// Waits until all output has been passed on, for at most `timeout` per stream.
  void awaitOutput(Duration timeout) throws InterruptedException;

  /// The error with which handling its input or output failed; the program was then killed.
  default Optional<Throwable> failure() {
    return Optional.empty();
  }

  /// The result if the program did not start, or was ended from outside, such as by Kubernetes;
  /// empty if it ended by itself.
  default Optional<ExecutionResult> problem() {
    return Optional.empty();
  }
}
