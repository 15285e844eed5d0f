package dev.runnel.service.execution;

import dev.runnel.service.isolation.RunningProcess;
import dev.runnel.service.process.ProcessTree;
import dev.runnel.service.process.Spawner;
import dev.runnel.service.run.ExecutionRequest;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The processes of one execution, and the reason to end them. Any thread may stop them at any
/// time, also while none runs: a process that starts later ends at once.
final class ExecutionProcesses {
  private static final Logger log = LoggerFactory.getLogger(ExecutionProcesses.class);
  private static final Duration LEFTOVER_GRACE = Duration.ofSeconds(2);
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration MAX_PAUSE = Duration.ofSeconds(30);

  enum StopReason {
    NONE,
    CANCELLED,
    /// The service is stopping.
    SHUTDOWN,
    /// Others may take this node for lost, so nothing may go on.
    NODE_LOST,
    /// A follow-up starts the next execution now.
    INTERRUPTED,
    /// A limit was reached.
    LIMIT
  }

  private final Spawner spawner;
  private final ExecutionRequest request;
  private final ServiceSettings settings;
  // Guarded by this.
  private StopReason reason = StopReason.NONE;
  private Optional<RunningProcess> current = Optional.empty();
  // Confined to the worker thread.
  private boolean isAnyLeft;

  ExecutionProcesses(Spawner spawner, ExecutionRequest request, ServiceSettings settings) {
    this.spawner = spawner;
    this.request = request;
    this.settings = settings;
  }

  synchronized StopReason reason() {
    return reason;
  }

  boolean isStopped() {
    return reason() != StopReason.NONE;
  }

  /// The process that was registered last.
  synchronized Optional<RunningProcess> current() {
    return current;
  }

  /// Whether [#endAll()] has left processes to the next start of the service.
  boolean isAnyLeft() {
    return isAnyLeft;
  }

  /// Registers the process that a stop must end.
  void register(RunningProcess started) {
    StopReason known;
    synchronized (this) {
      current = Optional.of(started);
      known = reason;
    }
    if (known != StopReason.NONE) {
      started.end(grace(known));
    }
  }

  /// Ends the processes, whatever reason there was before; returns when they have ended or could
  /// not be killed.
  void stop(StopReason wanted) {
    synchronized (this) {
      reason = wanted;
    }
    while (true) {
      try {
        // A process that starts later checks the reason itself.
        current().ifPresent(working -> working.end(grace(wanted)));
        return;
      } catch (OutOfMemoryError e) {
        log.error("cannot end agent, will retry run={}", request.runId(), e);
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }

  /// Ends the processes; an earlier reason stays.
  void stopUnlessStopped(StopReason wanted, Duration grace) {
    giveReason(wanted);
    current().ifPresent(working -> working.end(grace));
  }

  /// Gives a reason to end what starts from now on; an earlier reason stays.
  synchronized void giveReason(StopReason wanted) {
    reason = reason == StopReason.NONE ? wanted : reason;
  }

  /// Ends all processes, also those that were never registered. While some cannot be ended, the
  /// execution is not over, and nobody is told that it is; a stopping service leaves them to the
  /// next start.
  void endAll() {
    var known = reason();
    var grace =
        known == StopReason.NONE
            ? Collections.min(List.of(LEFTOVER_GRACE, settings.grace()))
            : grace(known);
    for (var pause = PAUSE; !tryToEndAll(grace); pause = longer(pause)) {
      if (reason() == StopReason.SHUTDOWN || Thread.currentThread().isInterrupted()) {
        isAnyLeft = true;
        return;
      }
      log.error("processes left, will try to end them again run={}", request.runId());
      LockSupport.parkNanos(pause.toNanos());
    }
    isAnyLeft = false;
  }

  private static Duration longer(Duration pause) {
    return Collections.min(List.of(pause.multipliedBy(2), MAX_PAUSE));
  }

  private boolean tryToEndAll(Duration grace) {
    // After a failed start there may be processes that were never registered.
    var ended =
        current()
            .map(each -> each.end(grace))
            .orElseGet(() -> ProcessTree.of(Optional.empty(), request, spawner).end(grace));
    return settings.isolation().cleanUp(request, settings.environment()) && ended;
  }

  private Duration grace(StopReason known) {
    return known == StopReason.NODE_LOST ? Duration.ZERO : settings.grace();
  }
}
