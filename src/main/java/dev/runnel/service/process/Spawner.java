package dev.runnel.service.process;

import dev.runnel.service.isolation.Priority;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.store.RunTable;
import dev.runnel.threads.SupervisedThread;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Starts processes and threads. This fails when the machine has reached its limits; the caller
/// must then record how the work ended.
public interface Spawner {
  /// The machine cannot start another process or thread.
  final class NoResourcesException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public NoResourcesException(Throwable cause) {
      super("The machine cannot start another process or thread", cause);
    }
  }

  /// Whether a failure was caused by exhausted processes, threads or memory. Reading a file may
  /// need another thread, too.
  static boolean isResourceShortage(Throwable failure) {
    return failure instanceof NoResourcesException || failure instanceof OutOfMemoryError;
  }

  /// The result of an execution when the service itself failed.
  ///
  /// @param execution 1-based number of the execution within its run
  static ExecutionResult resultOf(Throwable failure, String runId, int execution) {
    return isResourceShortage(failure)
        ? ExecutionResult.noResources()
        : ExecutionResult.internalError(runId, execution);
  }

  /// @return where a shell lowers its priority, one that ends with 126 or 127 if the program does
  ///   not exist or cannot be executed
  /// @throws IOException if it cannot be started
  /// @throws NoResourcesException if the machine is out of processes or threads; the program may
  ///   run nevertheless, since its process is created before the thread that waits for its end
  Process process(ProcessBuilder builder) throws IOException;

  /// How a process is connected to this one.
  enum Channel {
    /// By pipes, which all processes of its account can open by path.
    PIPE,
    /// By sockets as its input and output, which no process can open by path. By pipes where the
    /// system lacks what that needs.
    SOCKET
  }

  /// The same, with a choice of how the process is connected.
  ///
  /// @param builder its folder is given if the channel is a socket
  default Process process(ProcessBuilder builder, Channel channel) throws IOException {
    return process(builder);
  }

  /// The children of this process that it did not start: processes whose parents have ended. Their
  /// execution is not known. Always empty unless this process is a [ChildSubreaper].
  ///
  /// @param children all children of this process, read before this call
  default List<ProcessStatus> orphans(List<ProcessStatus> children) {
    return List.of();
  }

  /// The processes that a previous process of the service left behind.
  default ProcessTree leftBehind(RunTable.ClaimedExecution execution) {
    return ProcessTree.ofOrphan(execution);
  }

  /// Registers a run that this process executes now, until [#leave].
  default void enter(String runId) {}

  /// Removes a run that is no longer executed.
  default void leave(String runId) {}

  /// The runs that this process executes now.
  default Set<String> runs() {
    return Set.of();
  }

  /// Starts a virtual thread.
  ///
  /// @throws NoResourcesException if no thread can be started
  Thread virtual(String name, Runnable work);

  /// Starts a daemon platform thread.
  ///
  /// @throws NoResourcesException if no thread can be started
  Thread daemon(String name, Runnable work);

  /// Starts real processes and threads.
  static Spawner system() {
    return new SystemSpawner();
  }

  /// Java reports exhausted resources in two ways: an OutOfMemoryError for threads, and an
  /// IOException whose message contains the kernel's error number for processes.
  final class SystemSpawner implements Spawner {
    private static final Logger log = LoggerFactory.getLogger(SystemSpawner.class);

    /// EAGAIN, ENOMEM, ENFILE, EMFILE.
    private static final Pattern RESOURCE_SHORTAGE =
        Pattern.compile("error[:=] ?(11|12|23|24)\\b|spawn helper");

    /// Starts all processes on one long-lived thread. A process that is to be killed with its
    /// parent (`PR_SET_PDEATHSIG`) is killed when the thread that started it ends, and carriers of
    /// virtual threads may end.
    private final ExecutorService starter =
        Executors.newSingleThreadExecutor(SupervisedThread.daemons("process-starter"));

    // The processes whose end was not noticed yet.
    private final Set<Process> started = ConcurrentHashMap.newKeySet();

    private final Set<String> runs = ConcurrentHashMap.newKeySet();

    // For the thread that starts processes.
    private boolean isLackTold;

    private SystemSpawner() {}

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
        own = onStarter(() -> started.stream().map(Process::pid).collect(Collectors.toSet()));
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
      return process(builder, Channel.PIPE);
    }

    @Override
    public Process process(ProcessBuilder builder, Channel channel) throws IOException {
      try {
        return onStarter(
            () -> {
              started.removeIf(each -> !each.isAlive());
              SessionKeyring.renew();
              var command = new ArrayList<>(Priority.command());
              command.addAll(builder.command());
              builder.command(command);
              var process =
                  channel == Channel.SOCKET && hasSockets()
                      ? SocketProcess.start(builder)
                      : builder.start();
              started.add(process);
              return process;
            });
      } catch (IOException e) {
        if (isResourceShortage(e)) {
          throw new NoResourcesException(e);
        }
        throw e;
      } catch (OutOfMemoryError e) {
        throw new NoResourcesException(e);
      }
    }

    private boolean hasSockets() {
      var has = SocketProcess.isPossible();
      if (!has && !isLackTold) {
        isLackTold = true;
        log.warn(
            "agents get pipes, which their tools can open, because sockets need Linux with glibc"
                + " 2.34 or newer");
      }
      return has;
    }

    /// Keeps waiting when this thread is interrupted, because the process would be lost otherwise.
    private <T> T onStarter(Callable<T> work) throws IOException {
      var future = starter.submit(work);
      var interrupted = false;
      try {
        while (true) {
          try {
            return future.get();
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

    public static boolean isResourceShortage(IOException e) {
      return RESOURCE_SHORTAGE.matcher(String.valueOf(e.getMessage())).find();
    }

    @Override
    public Thread virtual(String name, Runnable work) {
      return start(SupervisedThread.virtuals(name).newThread(work));
    }

    @Override
    public Thread daemon(String name, Runnable work) {
      return start(SupervisedThread.daemons(name).newThread(work));
    }

    private static Thread start(Thread thread) {
      try {
        thread.start();
        return thread;
      } catch (OutOfMemoryError e) {
        throw new NoResourcesException(e);
      }
    }
  }
}
