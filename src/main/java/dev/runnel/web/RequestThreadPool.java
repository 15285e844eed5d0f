package dev.runnel.web;

import java.io.Closeable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The platform threads that read requests and write responses.
///
/// A connection continues in another task after each response that another thread wrote. When many
/// responses become due at once, a wake-up for each would cost more than the response, so one
/// thread writes all of them and then continues their connections.
public final class RequestThreadPool extends QueuedThreadPool {
  private static final Logger log = LoggerFactory.getLogger(RequestThreadPool.class);
  static final int MAX_THREADS = 32;
  private static final int MIN_THREADS = 4;
  private static final int LINGERING_MS = 60_000;

  /// The maximum number of connections that one task continues, so that other cores get some, too.
  private static final int CONNECTIONS_PER_TASK = 16;

  /// The connections to continue, while this thread writes responses. Not static, because two pools
  /// must not mix theirs.
  @SuppressWarnings("ThreadLocalUsage")
  private final ThreadLocal<@Nullable List<Runnable>> deferred = new ThreadLocal<>();

  public RequestThreadPool() {
    super(MAX_THREADS, MIN_THREADS, LINGERING_MS);
  }

  @Override
  public void execute(Runnable task) {
    var connections = deferred.get();
    if (connections == null) {
      super.execute(task);
    } else {
      connections.add(task);
    }
  }

  /// Runs tasks that each write many responses, and do not block. While the pool does not run, the
  /// caller runs them.
  public Executor responses() {
    return task -> {
      try {
        super.execute(new Responses(task));
      } catch (RejectedExecutionException notRunning) {
        task.run();
      }
    };
  }

  /// Closeable, because a pool that stops closes the tasks that still wait.
  private final class Responses implements Runnable, Closeable {
    private final Runnable task;

    Responses(Runnable task) {
      this.task = task;
    }

    @Override
    public void run() {
      var connections = new ArrayList<Runnable>();
      deferred.set(connections);
      try {
        task.run();
      } finally {
        deferred.remove();
        proceed(connections);
      }
    }

    private void proceed(List<Runnable> connections) {
      int begin = 0;
      for (; connections.size() - begin > CONNECTIONS_PER_TASK; begin += CONNECTIONS_PER_TASK) {
        var some = connections.subList(begin, begin + CONNECTIONS_PER_TASK);
        execute(() -> some.forEach(Responses::proceed));
      }
      connections.subList(begin, connections.size()).forEach(Responses::proceed);
    }

    /// An error of one connection does not keep the others from continuing.
    private static void proceed(Runnable connection) {
      try {
        connection.run();
      } catch (RuntimeException | Error broken) {
        log.warn("connection not continued", broken);
      }
    }

    @Override
    public void close() {
      task.run();
    }
  }
}
