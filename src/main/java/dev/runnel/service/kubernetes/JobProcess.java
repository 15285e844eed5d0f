package dev.runnel.service.kubernetes;

import dev.runnel.service.isolation.RunMemory;
import dev.runnel.service.isolation.RunningProcess;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.workspace.Folders;
import dev.runnel.threads.SupervisedThread;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A program that runs as a Job, from before the creation of the Job until its deletion.
final class JobProcess implements RunningProcess {
  private static final Logger log = LoggerFactory.getLogger(JobProcess.class);

  /// How long a Job may have no pod before the reason is looked up in its events.
  private static final Duration POD_TIMEOUT = Duration.ofSeconds(10);

  private static final Duration CREATION_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration MAX_DELAY = Duration.ofSeconds(30);
  private static final Duration OUTPUT_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration LOG_TIMEOUT = Duration.ofMinutes(10);
  private static final int TERMINATED = 143;

  /// Statuses of temporary client errors.
  private static final List<Integer> RETRYABLE_STATUSES = List.of(408, 429);

  private record End(int status, Optional<ExecutionResult> problem) {}

  private final Cluster cluster;
  private final Job job;
  private final Cluster.Selection predecessors;
  private final Path files;
  private final PodResults results;
  private final KubernetesSettings settings;
  private final LogFollow output;
  private final Duration firstDelay;
  private final Executor threads;
  private final Cluster.Selection selection;
  private final Semaphore changed = new Semaphore(0);
  private final CompletableFuture<End> ended = new CompletableFuture<>();
  private final CountDownLatch created = new CountDownLatch(1);
  private final CountDownLatch logRead = new CountDownLatch(1);
  private final AtomicBoolean isRetryingEnd = new AtomicBoolean();
  private volatile boolean isEnding;
  private volatile @Nullable Throwable failure;
  private volatile String podName = "";
  // Confined to the worker thread.
  private boolean hasLogReader;

  /// @param predecessors Jobs that must be gone before this one is created
  /// @param files the folder with the files of the start
  /// @param threads tasks on it must end when they are interrupted
  JobProcess(
      Cluster cluster,
      Job job,
      Cluster.Selection predecessors,
      Path files,
      PodResults results,
      KubernetesSettings settings,
      String errorPrefix,
      Sink sink,
      Duration firstDelay,
      Executor threads) {
    this.cluster = cluster;
    this.job = job;
    this.predecessors = predecessors;
    this.files = files;
    this.results = results;
    this.settings = settings;
    this.firstDelay = firstDelay;
    this.threads = threads;
    this.output =
        new LogFollow(since -> cluster.log(podName, since), errorPrefix, sink, firstDelay);
    this.selection = Cluster.Selection.of(JobSpec.START, name());
  }

  private String name() {
    return job.getMetadata().getName();
  }

  Map<String, String> labels() {
    return job.getMetadata().getLabels();
  }

  void start() {
    threads.execute(SupervisedThread.supervised("job " + name(), this::work, this::workEnded));
  }

  /// Releases all who wait for the Job.
  private void workEnded(Optional<Throwable> error) {
    created.countDown();
    logRead.countDown();
    ended.complete(new End(TERMINATED, Optional.of(results.internalError())));
  }

  @Override
  public int awaitExit() throws InterruptedException {
    try {
      return ended.get().status();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public Optional<ExecutionResult> problem() {
    return Optional.ofNullable(ended.getNow(null)).flatMap(End::problem);
  }

  @Override
  public Optional<Throwable> failure() {
    return Optional.ofNullable(failure);
  }

  @Override
  public void awaitOutput(Duration timeout) throws InterruptedException {
    var _ = logRead.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public boolean end(Duration grace) {
    isEnding = true;
    changed.release();
    try {
      withdraw();
      if (!created.await(CREATION_TIMEOUT.toSeconds(), TimeUnit.SECONDS)
          || !cluster.delete(selection, grace)) {
        if (!ended.isDone() && isRetryingEnd.compareAndSet(false, true)) {
          threads.execute(() -> retryEnd(grace));
        }
        return false;
      }
      Folders.delete(files);
      return true;
    } catch (IOException e) {
      log.warn("cannot delete files of a start job={} error={}", name(), e.toString());
      return false;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /// The folder with the files of the start, which the pod can write to.
  @Override
  public long bytesElsewhere() throws IOException {
    return Folders.chargedBytes(files);
  }

  /// A container that starts after this finds no variables file, and exits at once.
  private void withdraw() {
    try {
      Folders.delete(files.resolve(StartScript.ENVIRONMENT));
    } catch (IOException e) {
      // An agent that runs already can put anything in its place, and must be ended nevertheless.
      log.warn("cannot withdraw a start job={} error={}", name(), e.toString());
    }
  }

  /// Retries the deletion, because nobody else does while the agent works.
  private void retryEnd(Duration grace) {
    try {
      var delay = firstDelay;
      while (!hasEndedWithin(delay) && !cluster.delete(selection, grace)) {
        delay = nextDelay(delay);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      isRetryingEnd.set(false);
    }
  }

  private boolean hasEndedWithin(Duration time) throws InterruptedException {
    try {
      var _ = ended.get(time.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException _) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Duration nextDelay(Duration delay) {
    return Collections.min(List.of(delay.multipliedBy(2), MAX_DELAY));
  }

  private void work() throws InterruptedException {
    try (var _ = cluster.pods().listen(changed::release)) {
      End end;
      try {
        end = create().orElse(null);
      } finally {
        created.countDown();
      }
      ended.complete(end == null ? new PodFollow().awaitEnd() : end);
    }
  }

  /// @return the end, if the Job was not created
  private Optional<End> create() throws InterruptedException {
    var deadline = System.nanoTime() + settings.start().toNanos();
    var delay = firstDelay;
    var why = "";
    while (!isEnding) {
      try {
        if (cluster.delete(predecessors, settings.grace())) {
          cluster.create(job);
          return Optional.empty();
        }
        why = "Jobs of an earlier execution remain";
      } catch (KubernetesClientException e) {
        why = Cluster.reason(e);
        var code = e.getCode();
        if (code >= 400 && code < 500 && !RETRYABLE_STATUSES.contains(code)) {
          return Optional.of(
              new End(
                  TERMINATED,
                  Optional.of(
                      why.contains("exceeded quota")
                          ? results.noQuota(why)
                          : results.refused(why))));
        }
        log.warn("cannot create a job, will retry job={} error={}", name(), why);
      }
      if (System.nanoTime() - deadline >= 0) {
        return Optional.of(
            new End(TERMINATED, Optional.of(results.notStartedInTime(settings.start(), why))));
      }
      await(delay);
      delay = nextDelay(delay);
    }
    return Optional.of(new End(TERMINATED, Optional.empty()));
  }

  /// Follows the pod of the Job until it has ended. Confined to the worker thread.
  private final class PodFollow {
    private final long start = System.nanoTime();
    private boolean hasLookedUpReason;
    private boolean isStarted;
    private boolean hasSeenPod;
    private String why = "";

    End awaitEnd() throws InterruptedException {
      while (true) {
        var pod = cluster.pods().podOf(name());
        var end = pod.isPresent() ? check(pod.get()) : checkWithoutPod();
        if (end.isEmpty()) {
          end = checkStart();
        }
        if (end.isPresent()) {
          return end.get();
        }
        JobProcess.this.await(isStarted ? MAX_DELAY : POD_TIMEOUT);
      }
    }

    private Optional<End> check(Pod pod) throws InterruptedException {
      hasSeenPod = true;
      switch (PodState.of(pod, results)) {
        case PodState.Ended(int status, Optional<ExecutionResult> problem) -> {
          finishLog(pod);
          return Optional.of(new End(status, isEnding ? Optional.empty() : problem));
        }
        case PodState.CannotStart(ExecutionResult result) -> {
          return end(result);
        }
        case PodState.Running _ -> {
          isStarted = true;
          startLogReader(pod);
        }
        case PodState.Waiting(String reason) -> why = reason;
      }
      return Optional.empty();
    }

    private Optional<End> checkWithoutPod() throws InterruptedException {
      if (!hasSeenPod && !isEnding) {
        return Optional.empty();
      }
      output.abandon();
      if (hasLogReader) {
        awaitOutput(OUTPUT_TIMEOUT);
      }
      return isEnding ? Optional.of(new End(TERMINATED, Optional.empty())) : end(deletionResult());
    }

    private Optional<End> checkStart() {
      var elapsed = System.nanoTime() - start;
      if (!isStarted && elapsed >= settings.start().toNanos()) {
        return end(
            results.notStartedInTime(
                settings.start(), hasSeenPod ? why : reasonForMissingPod().orElse("")));
      }
      if (hasSeenPod || hasLookedUpReason || elapsed < POD_TIMEOUT.toNanos()) {
        return Optional.empty();
      }
      hasLookedUpReason = true;
      var reason = reasonForMissingPod();
      if (reason.isEmpty()) {
        return end(results.jobDeleted());
      }
      return reason.get().contains("exceeded quota")
          ? end(results.noQuota(reason.get()))
          : Optional.empty();
    }

    private Optional<End> end(ExecutionResult problem) {
      return Optional.of(new End(TERMINATED, Optional.of(problem)));
    }
  }

  /// @return empty if the Job is gone
  private Optional<String> reasonForMissingPod() {
    try {
      return cluster.hasJob(name())
          ? Optional.of(cluster.reasonForMissingPod(name()))
          : Optional.empty();
    } catch (KubernetesClientException e) {
      return Optional.of(Cluster.reason(e));
    }
  }

  private ExecutionResult deletionResult() {
    try {
      return cluster.hasJob(name()) ? results.deleted() : results.jobDeleted();
    } catch (KubernetesClientException _) {
      return results.deleted();
    }
  }

  private void startLogReader(Pod pod) {
    if (!hasLogReader) {
      hasLogReader = true;
      podName = pod.getMetadata().getName();
      threads.execute(
          SupervisedThread.supervised("log of job " + name(), this::readLog, this::logEnded));
    }
  }

  private void finishLog(Pod pod) throws InterruptedException {
    startLogReader(pod);
    output.containerEnded();
    var deadline = System.nanoTime() + LOG_TIMEOUT.toNanos();
    while (!logRead.await(1, TimeUnit.SECONDS)) {
      if (System.nanoTime() - deadline >= 0
          || (isEnding && cluster.pods().podOf(name()).isEmpty())) {
        output.abandon();
        awaitOutput(OUTPUT_TIMEOUT);
        return;
      }
    }
  }

  private void readLog() throws InterruptedException {
    try {
      if (!output.read()) {
        log.warn("log of a job not read to its end job={}", name());
      }
    } catch (RunMemory.ClosedException _) {
      // The execution has ended.
    }
  }

  /// Ends an agent whose output is no longer read.
  private void logEnded(Optional<Throwable> error) {
    error.ifPresent(why -> failure = why);
    logRead.countDown();
    if (error.isPresent()) {
      var _ = end(settings.grace());
    }
  }

  private void await(Duration most) throws InterruptedException {
    if (changed.tryAcquire(most.toNanos(), TimeUnit.NANOSECONDS)) {
      changed.drainPermits();
    }
  }
}
