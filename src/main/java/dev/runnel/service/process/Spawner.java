package dev.runnel.service.process;

import dev.runnel.service.run.ExecutionResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Starts processes and threads. This fails when the machine has reached its limits; the caller
/// must then record how the work it began ended.
public interface Spawner {
  /// The machine cannot start another process or thread.
  final class NoRoomException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public NoRoomException(Throwable cause) {
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

  /// The children of this process that it did not start: processes whose parents have ended. Always
  /// empty unless this process is a [ChildSubreaper]. Of which execution they are cannot be known.
  ///
  /// @param children all children of this process, seen before this call
  default List<ProcessStatus> orphans(List<ProcessStatus> children) {
    return List.of();
  }

  /// Registers a run that this process executes now, until [#leave].
  default void enter(String runId) {}

  /// The run is not executed any more.
  default void leave(String runId) {}

  /// The runs that this process executes now.
  default Set<String> runs() {
    return Set.of();
  }

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

    /// Starts all processes on one thread that lives as long as this one's users. A process that
    /// asked the kernel to be killed with its parent is killed when the thread that started it
    /// ends, as the carriers of virtual threads do.
    private final ExecutorService starter =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("process-starter").factory());

    // Those whose end has not been collected yet.
    private final Set<Process> started = ConcurrentHashMap.newKeySet();

    private final Set<String> runs = ConcurrentHashMap.newKeySet();

    private OfTheSystem() {}

    @Override
    public void enter(String runId) {
      runs.add(runId);
    }

    @Override
    public void leave(String runId) {
      runs.remove(runId);
    }

    @Override
    public Set<String> runs() {
      return Set.copyOf(runs);
    }

    @Override
    public List<ProcessStatus> orphans(List<ProcessStatus> children) {
      if (children.isEmpty() || !ChildSubreaper.isThisProcess()) {
        return List.of();
      }
      Set<Long> own;
      try {
        own = starting(() -> started.stream().map(Process::pid).collect(Collectors.toSet()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      var orphans = children.stream().filter(each -> !own.contains(each.pid())).toList();
      orphans.stream()
          .filter(each -> !each.isLiving())
          .forEach(each -> ChildSubreaper.reap(each.pid()));
      return orphans.stream().filter(ProcessStatus::isLiving).toList();
    }

    @Override
    public Process process(ProcessBuilder builder) throws IOException {
      try {
        return starting(
            () -> {
              started.removeIf(each -> !each.isAlive());
              SessionKeyring.renew();
              var process = builder.start();
              started.add(process);
              return process;
            });
      } catch (IOException e) {
        if (isNoRoom(e)) {
          throw new NoRoomException(e);
        }
        throw e;
      } catch (OutOfMemoryError e) {
        throw new NoRoomException(e);
      }
    }

    /// Waits also when this thread is interrupted: nobody would know of the process otherwise.
    private <T> T starting(Callable<T> work) throws IOException {
      var starting = starter.submit(work);
      var interrupted = false;
      try {
        while (true) {
          try {
            return starting.get();
          } catch (InterruptedException _) {
            interrupted = true;
          } catch (ExecutionException e) {
            switch (e.getCause()) {
              case IOException cause -> throw cause;
              case RuntimeException cause -> throw cause;
              case Error cause -> throw cause;
              case null, default -> throw new IllegalStateException(e);
            }
          }
        }
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }

    public static boolean isNoRoom(IOException e) {
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
