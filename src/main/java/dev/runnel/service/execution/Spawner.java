package dev.runnel.service.execution;

import dev.runnel.service.run.ExecutionResult;
import java.io.IOException;
import java.util.regex.Pattern;

/// Starts processes and threads. The machine may have no room for one more; then whoever asked has
/// to end truthfully what it began.
public interface Spawner {
  /// Says that there is no room.
  final class NoRoomException extends RuntimeException {
    private static final long serialVersionUID = 1;

    NoRoomException(Throwable cause) {
      super("The machine has no room for one more process or thread", cause);
    }
  }

  /// Whether something failed for want of room. Reading a file may need one more thread, too.
  static boolean isNoRoom(Throwable failure) {
    return failure instanceof NoRoomException || failure instanceof OutOfMemoryError;
  }

  /// How an execution ends when something failed on our side while it worked.
  static ExecutionResult ending(Throwable failure) {
    return isNoRoom(failure) ? ExecutionResult.noRoom() : ExecutionResult.broken();
  }

  /// @throws IOException when the program is not there, or cannot be run
  /// @throws NoRoomException when there is no room; the program may run all the same, since a
  ///     process comes before the thread that waits for its end
  Process process(ProcessBuilder builder) throws IOException;

  /// Starts a virtual thread.
  ///
  /// @throws NoRoomException when there is no room
  Thread virtual(String name, Runnable work);

  /// Starts a platform thread that holds up no exit.
  ///
  /// @throws NoRoomException when there is no room
  Thread daemon(String name, Runnable work);

  /// The machine itself.
  static Spawner system() {
    return new OfTheSystem();
  }

  /// Java tells of a full machine in two ways: by an error for threads, by the number of the
  /// kernel's error in words for processes.
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
