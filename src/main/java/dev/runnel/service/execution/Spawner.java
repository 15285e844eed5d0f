package dev.runnel.service.execution;

import dev.runnel.service.run.ExecutionResult;
import java.io.IOException;
import java.util.regex.Pattern;

/// Starts processes and threads. This fails when the machine has reached its limits; the caller
/// must then record how the work it began ended.
public interface Spawner {
  /// The machine cannot start another process or thread.
  final class NoRoomException extends RuntimeException {
    private static final long serialVersionUID = 1;

    NoRoomException(Throwable cause) {
      super("The machine has no room for one more process or thread", cause);
    }
  }

  /// Whether a failure was caused by exhausted processes, threads or memory. Reading a file may
  /// need another thread, too.
  static boolean isNoRoom(Throwable failure) {
    return failure instanceof NoRoomException || failure instanceof OutOfMemoryError;
  }

  /// The result of an execution when the service itself failed.
  static ExecutionResult ending(Throwable failure) {
    return isNoRoom(failure) ? ExecutionResult.noRoom() : ExecutionResult.broken();
  }

  /// @throws IOException if the program does not exist or cannot be executed
  /// @throws NoRoomException if the machine is out of processes or threads; the program may run
  ///   nevertheless, since its process is created before the thread that waits for its end
  Process process(ProcessBuilder builder) throws IOException;

  /// Starts a virtual thread.
  ///
  /// @throws NoRoomException if no thread can be started
  Thread virtual(String name, Runnable work);

  /// Starts a daemon platform thread.
  ///
  /// @throws NoRoomException if no thread can be started
  Thread daemon(String name, Runnable work);

  /// Starts real processes and threads.
  static Spawner system() {
    return new OfTheSystem();
  }

  /// Java reports exhausted resources in two ways: an OutOfMemoryError for threads, and an
  /// IOException whose message contains the kernel's error number for processes.
  final class OfTheSystem implements Spawner {
    /// EAGAIN, ENOMEM, ENFILE, EMFILE.
    private static final Pattern NO_ROOM =
        Pattern.compile("error[:=] ?(11|12|23|24)\\b|spawn helper");

    private OfTheSystem() {}

    @Override
    public Process process(ProcessBuilder builder) throws IOException {
      try {
        return builder.start();
      } catch (IOException e) {
        if (isNoRoom(e)) {
          throw new NoRoomException(e);
        }
        throw e;
      } catch (OutOfMemoryError e) {
        throw new NoRoomException(e);
      }
    }

    static boolean isNoRoom(IOException e) {
      return NO_ROOM.matcher(String.valueOf(e.getMessage())).find();
    }

    @Override
    public Thread virtual(String name, Runnable work) {
      return start(Thread.ofVirtual().name(name).unstarted(work));
    }

    @Override
    public Thread daemon(String name, Runnable work) {
      return start(Thread.ofPlatform().daemon().name(name).unstarted(work));
    }

    private static Thread start(Thread thread) {
      try {
        thread.start();
        return thread;
      } catch (OutOfMemoryError e) {
        throw new NoRoomException(e);
      }
    }
  }
}
