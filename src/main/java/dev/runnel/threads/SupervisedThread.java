package dev.runnel.threads;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Starts threads that others wait for. A thread that dies of an error would let them wait for
/// ever, so its end is always told, for every [Throwable].
public final class SupervisedThread {
  private static final Logger log = LoggerFactory.getLogger(SupervisedThread.class);

  /// What a thread does.
  @FunctionalInterface
  public interface Work {
    void run() throws Exception;
  }

  private SupervisedThread() {}

  /// Work that tells its end to whoever waits.
  ///
  /// @param ended called once after the work, on its thread, with the error that ended it; empty if
  ///   it returned or was interrupted. It must release whatever waits for the work.
  public static Runnable supervised(String name, Work work, Consumer<Optional<Throwable>> ended) {
    return () -> {
      Optional<Throwable> failure = Optional.empty();
      try {
        work.run();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      } catch (Throwable e) {
        failure = Optional.of(e);
        logEnd(name, e);
      } finally {
        ended.accept(failure);
      }
    };
  }

  /// Starts a virtual thread.
  ///
  /// @param ended see [#supervised]
  public static Thread virtual(String name, Work work, Consumer<Optional<Throwable>> ended) {
    return Thread.ofVirtual().name(name).start(supervised(name, work, ended));
  }

  /// Starts a daemon platform thread.
  ///
  /// @param ended see [#supervised]
  public static Thread daemon(String name, Work work, Consumer<Optional<Throwable>> ended) {
    return Thread.ofPlatform().daemon().name(name).start(supervised(name, work, ended));
  }

  /// Work for which nobody waits: an error that ends it is logged.
  public static Runnable logged(String name, Work work) {
    return supervised(name, work, _ -> {});
  }

  /// Work that repeats a step until it is interrupted or no longer wanted. A step that fails, with
  /// whatever error, is logged and tried again after the pause.
  public static Runnable repeating(
      String name, Work step, Duration pauseAfterFailure, BooleanSupplier goesOn) {
    return () -> {
      while (goesOn.getAsBoolean() && !Thread.currentThread().isInterrupted()) {
        try {
          step.run();
        } catch (InterruptedException _) {
          Thread.currentThread().interrupt();
        } catch (Throwable e) {
          logEnd(name, e);
          pause(pauseAfterFailure);
        }
      }
    };
  }

  /// Work for a scheduler, which silently stops repeating what throws.
  public static Runnable repeatable(String name, Work step) {
    return () -> {
      try {
        step.run();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      } catch (Throwable e) {
        logEnd(name, e);
      }
    };
  }

  /// A virtual thread that its owner starts. Its work should be [#supervised] or [#repeating].
  public static Thread unstarted(String name, Runnable work) {
    return Thread.ofVirtual().name(name).unstarted(work);
  }

  /// Makes the daemon platform threads of an executor. What ends one is logged.
  public static ThreadFactory daemons(String name) {
    return Thread.ofPlatform()
        .daemon()
        .name(name)
        .uncaughtExceptionHandler((_, why) -> logEnd(name, why))
        .factory();
  }

  /// Makes the virtual threads of an executor. What ends one is logged.
  public static ThreadFactory virtuals(String name) {
    return Thread.ofVirtual()
        .name(name)
        .uncaughtExceptionHandler((_, why) -> logEnd(name, why))
        .factory();
  }

  private static void pause(Duration pause) {
    try {
      Thread.sleep(pause);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// Logging needs memory and stack, too. Without it the end must still be told.
  private static void logEnd(String name, Throwable why) {
    try {
      log.error("thread failed thread={}", name, why);
    } catch (Throwable _) {
      // The caller goes on.
    }
  }
}
