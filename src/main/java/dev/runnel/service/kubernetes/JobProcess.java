package dev.runnel.service.kubernetes;

import dev.runnel.service.isolation.RunningProcess;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.workspace.Folders;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.nio.file.Files;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A program that runs as a Job, from before the Job is created until it is gone.
final class JobProcess implements RunningProcess {
  private static final Logger log = LoggerFactory.getLogger(JobProcess.class);

  /// How long a Job may have no pod before the reason is looked up in its events.
  private static final Duration NO_POD = Duration.ofSeconds(10);

  private static final Duration CREATION = Duration.ofSeconds(30);
  private static final Duration MAX_PAUSE = Duration.ofSeconds(30);
  private static final Duration LAST_WORDS = Duration.ofSeconds(5);
  private static final Duration READING = Duration.ofMinutes(10);
  private static final int TERMINATED = 143;

  /// Client errors that pass by themselves.
  private static final List<Integer> LATER = List.of(408, 429);

  private record End(int status, Optional<ExecutionResult> problem) {}

  private final Cluster cluster;
  private final Job job;
  private final Cluster.Selection before;
  private final Path files;
  private final Words words;
  private final KubernetesSettings settings;
  private final LogFollow output;
  private final Duration firstPause;
  private final Executor threads;
  private final Cluster.Selection own;
  private final Semaphore changed = new Semaphore(0);
  private final CompletableFuture<End> ended = new CompletableFuture<>();
  private final CountDownLatch created = new CountDownLatch(1);
  private final CountDownLatch read = new CountDownLatch(1);
  private final AtomicBoolean endsAgain = new AtomicBoolean();
  private volatile boolean ending;
  private volatile String podName = "";
  // Confined to the worker thread.
  private boolean isReading;

  /// @param before Jobs that must be gone before this one is created
  /// @param files the folder with the files of the start
  /// @param threads what runs there ends when it is interrupted
  JobProcess(
      Cluster cluster,
      Job job,
      Cluster.Selection before,
      Path files,
      Words words,
      KubernetesSettings settings,
      String mark,
      Sink sink,
      Duration firstPause,
      Executor threads) {
    this.cluster = cluster;
    this.job = job;
    this.before = before;
    this.files = files;
    this.words = words;
    this.settings = settings;
    this.firstPause = firstPause;
    this.threads = threads;
    this.output = new LogFollow(since -> cluster.log(podName, since), mark, sink, firstPause);
    this.own = Cluster.Selection.of(JobSpec.START, name());
  }

  private String name() {
    return job.getMetadata().getName();
  }

  Map<String, String> labels() {
    return job.getMetadata().getLabels();
  }

  void start() {
    threads.execute(this::work);
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
  public void awaitOutput(Duration patience) throws InterruptedException {
    var _ = read.await(patience.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public boolean end(Duration grace) {
    ending = true;
    changed.release();
    try {
      // What is started after this finds no variables, and ends at once.
      Files.deleteIfExists(files.resolve(StartScript.ENVIRONMENT));
      if (!created.await(CREATION.toSeconds(), TimeUnit.SECONDS) || !cluster.end(own, grace)) {
        if (!ended.isDone() && endsAgain.compareAndSet(false, true)) {
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

  /// While the agent works, nobody else tries again.
  private void retryEnd(Duration grace) {
    try {
      var pause = firstPause;
      while (!isOverWithin(pause) && !cluster.end(own, grace)) {
        pause = longer(pause);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      endsAgain.set(false);
    }
  }

  private boolean isOverWithin(Duration time) throws InterruptedException {
    try {
      var _ = ended.get(time.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException _) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Duration longer(Duration pause) {
    return Collections.min(List.of(pause.multipliedBy(2), MAX_PAUSE));
  }

  private void work() {
    try (var _ = cluster.pods().listen(changed::release)) {
      End end;
      try {
        end = create().orElse(null);
      } finally {
        created.countDown();
      }
      ended.complete(end == null ? follow() : end);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | OutOfMemoryError e) {
      log.error("cannot follow a job job={}", name(), e);
      ended.complete(new End(TERMINATED, Optional.of(ExecutionResult.broken())));
    } finally {
      read.countDown();
      ended.complete(new End(TERMINATED, Optional.of(ExecutionResult.broken())));
    }
  }

  /// @return the end, if there is none to wait for
  private Optional<End> create() throws InterruptedException {
    var deadline = System.nanoTime() + settings.start().toNanos();
    var pause = firstPause;
    var why = "";
    while (!ending) {
      try {
        if (cluster.end(before, settings.grace())) {
          cluster.create(job);
          return Optional.empty();
        }
        why = "Jobs of an earlier execution are left";
      } catch (KubernetesClientException e) {
        why = Cluster.reason(e);
        var code = e.getCode();
        if (code >= 400 && code < 500 && !LATER.contains(code)) {
          return Optional.of(
              new End(
                  TERMINATED,
                  Optional.of(
                      why.contains("exceeded quota") ? words.noQuota(why) : words.refused(why))));
        }
        log.warn("cannot create a job, will retry job={} error={}", name(), why);
      }
      if (System.nanoTime() - deadline >= 0) {
        return Optional.of(new End(TERMINATED, Optional.of(words.noRoom(settings.start(), why))));
      }
      await(pause);
      pause = longer(pause);
    }
    return Optional.of(new End(TERMINATED, Optional.empty()));
  }

  private End follow() throws InterruptedException {
    var start = System.nanoTime();
    var deadline = start + settings.start().toNanos();
    var hasAsked = false;
    var isStarted = false;
    var isSeen = false;
    var why = "";
    while (true) {
      var pod = cluster.pods().of(name());
      if (pod.isPresent()) {
        isSeen = true;
        switch (PodState.of(pod.get(), words)) {
          case PodState.Ended(int status, Optional<ExecutionResult> problem) -> {
            finishReading(pod.get());
            return new End(status, ending ? Optional.empty() : problem);
          }
          case PodState.Hopeless(ExecutionResult result) -> {
            return new End(TERMINATED, Optional.of(result));
          }
          case PodState.Running _ -> {
            isStarted = true;
            read(pod.get());
          }
          case PodState.Waiting(String reason) -> why = reason;
        }
      } else if (isSeen || ending) {
        output.giveUp();
        if (isReading) {
          awaitOutput(LAST_WORDS);
        }
        return new End(TERMINATED, ending ? Optional.empty() : Optional.of(gone()));
      }
      var now = System.nanoTime();
      if (!isStarted && now - deadline >= 0) {
        return new End(
            TERMINATED,
            Optional.of(
                words.noRoom(settings.start(), isSeen ? why : reasonForMissingPod().orElse(""))));
      }
      if (!isSeen && !hasAsked && now - start >= NO_POD.toNanos()) {
        hasAsked = true;
        var reason = reasonForMissingPod();
        if (reason.isEmpty()) {
          return new End(TERMINATED, Optional.of(words.jobDeleted()));
        }
        if (reason.get().contains("exceeded quota")) {
          return new End(TERMINATED, Optional.of(words.noQuota(reason.get())));
        }
      }
      await(isStarted ? MAX_PAUSE : NO_POD);
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

  private ExecutionResult gone() {
    try {
      return cluster.hasJob(name()) ? words.deleted() : words.jobDeleted();
    } catch (KubernetesClientException _) {
      return words.deleted();
    }
  }

  private void read(Pod pod) {
    if (!isReading) {
      isReading = true;
      podName = pod.getMetadata().getName();
      threads.execute(this::readLog);
    }
  }

  private void finishReading(Pod pod) throws InterruptedException {
    read(pod);
    output.containerEnded();
    var deadline = System.nanoTime() + READING.toNanos();
    while (!read.await(1, TimeUnit.SECONDS)) {
      if (System.nanoTime() - deadline >= 0 || (ending && cluster.pods().of(name()).isEmpty())) {
        output.giveUp();
        awaitOutput(LAST_WORDS);
        return;
      }
    }
  }

  private void readLog() {
    try {
      if (!output.read()) {
        log.warn("log of a job not read to its end job={}", name());
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | OutOfMemoryError e) {
      log.error("cannot read the log of a job job={}", name(), e);
    } finally {
      read.countDown();
    }
  }

  private void await(Duration most) throws InterruptedException {
    if (changed.tryAcquire(most.toNanos(), TimeUnit.NANOSECONDS)) {
      changed.drainPermits();
    }
  }
}
