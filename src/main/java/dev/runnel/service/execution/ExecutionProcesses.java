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
/// time, also while none is running: a process that starts later is ended at once.
final class ExecutionProcesses {
  private static final Logger log = LoggerFactory.getLogger(ExecutionProcesses.class);
  private static final Duration LEFTOVER_GRACE = Duration.ofSeconds(2);
  private static final Duration RETRY_DELAY = Duration.ofSeconds(1);
  private static final Duration MAX_RETRY_DELAY = Duration.ofSeconds(30);

  enum StopReason {
    NONE,
    CANCELLED,
    /// The service is stopping.
    SHUTDOWN,
    /// Other nodes may consider this node lost, so all work must stop.
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
  private boolean areProcessesLeft;

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

  /// Whether [#endAll()] has left processes for the next start of the service to end.
  boolean areProcessesLeft() {
    return areProcessesLeft;
  }

  /// Registers a process, so that a stop ends it.
  void register(RunningProcess started) {
    StopReason currentReason;
    synchronized (this) {
      current = Optional.of(started);
      currentReason = reason;
    }
    if (currentReason != StopReason.NONE) {
      started.end(grace(currentReason));
    }
  }

  /// Ends the processes and replaces an earlier reason. Returns when they have ended or could not
  /// be killed.
  void stop(StopReason newReason) {
    synchronized (this) {
      reason = newReason;
    }
    while (true) {
      try {
        // A process that starts later checks the reason itself.
        current().ifPresent(working -> working.end(grace(newReason)));
        return;
      } catch (OutOfMemoryError e) {
        log.error("cannot end agent, will retry run={}", request.runId(), e);
        LockSupport.parkNanos(RETRY_DELAY.toNanos());
      }
    }
  }

  /// Ends the processes; an earlier reason is kept.
  void stopUnlessStopped(StopReason newReason, Duration grace) {
    setReasonIfNone(newReason);
    current().ifPresent(working -> working.end(grace));
  }

  /// Sets the reason to end processes that start from now on; an earlier reason is kept.
  synchronized void setReasonIfNone(StopReason newReason) {
    reason = reason == StopReason.NONE ? newReason : reason;
  }

  /// Ends all processes, also those that were never registered. Retries until none is left, because
  /// only then is the execution over. If the service is stopping, they are left for its next start.
  void endAll() {
    var currentReason = reason();
    var grace =
        currentReason == StopReason.NONE
            ? Collections.min(List.of(LEFTOVER_GRACE, settings.grace()))
            : grace(currentReason);
    for (var pause = RETRY_DELAY; !tryToEndAll(grace); pause = nextDelay(pause)) {
      if (reason() == StopReason.SHUTDOWN || Thread.currentThread().isInterrupted()) {
        areProcessesLeft = true;
        return;
      }
      log.error("processes left, will try to end them again run={}", request.runId());
      LockSupport.parkNanos(pause.toNanos());
    }
    areProcessesLeft = false;
  }

  private static Duration nextDelay(Duration pause) {
    return Collections.min(List.of(pause.multipliedBy(2), MAX_RETRY_DELAY));
  }

  private boolean tryToEndAll(Duration grace) {
    // After a failed start there may be processes that were never registered.
    var ended =
        current()
            .map(each -> each.end(grace))
            .orElseGet(() -> ProcessTree.of(Optional.empty(), request, spawner).end(grace));
    return settings.isolation().cleanUp(request, settings.environment()) && ended;
  }

  private Duration grace(StopReason reason) {
    return reason == StopReason.NODE_LOST ? Duration.ZERO : settings.grace();
  }
}
