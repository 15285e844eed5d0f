package dev.runnel.service.kubernetes;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The Jobs and pods of Runnel in one namespace. Thread-safe.
final class Cluster implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Cluster.class);
  private static final Duration DELETION_TIMEOUT = Duration.ofSeconds(20);
  private static final Duration POLL_INTERVAL = Duration.ofSeconds(2);
  private static final int CONFLICT = 409;

  /// Selects Jobs and pods by labels.
  ///
  /// @param selector the label selector
  /// @param labels the same condition, for the pods of the watch
  record Selection(String selector, Predicate<Map<String, String>> labels) {
    static Selection of(String label, String value) {
      return new Selection(
          JobSpec.MANAGED_BY + "=" + JobSpec.RUNNEL + "," + label + "=" + value,
          labels -> value.equals(labels.get(label)));
    }

    Selection and(String label, String value) {
      return new Selection(
          selector + "," + label + "=" + value, labels.and(each -> value.equals(each.get(label))));
    }

    Selection without(String label, String value) {
      return new Selection(
          selector + "," + label + "!=" + value,
          labels.and(each -> !value.equals(each.get(label))));
    }
  }

  private final KubernetesClient client;
  private final String namespace;
  private final PodWatch pods;

  Cluster(KubernetesClient client, String namespace) {
    this.client = client;
    this.namespace = namespace;
    this.pods = PodWatch.start(client, namespace);
  }

  PodWatch pods() {
    return pods;
  }

  /// Creates a Job, unless it exists.
  ///
  /// @throws KubernetesClientException if the API server rejects the request, or does not respond
  void create(Job job) {
    try {
      client.batch().v1().jobs().inNamespace(namespace).resource(job).create();
    } catch (KubernetesClientException e) {
      // The response to an earlier attempt was lost.
      if (e.getCode() != CONFLICT) {
        throw e;
      }
    }
  }

  /// @throws KubernetesClientException if the API server rejects the request, or does not respond
  boolean hasJob(String name) {
    return client.batch().v1().jobs().inNamespace(namespace).withName(name).get() != null;
  }

  /// The reason that Kubernetes reports for a Job that has no pod; blank if there is none.
  ///
  /// @throws KubernetesClientException if the API server rejects the request, or does not respond
  String reasonForMissingPod(String name) {
    return client
        .v1()
        .events()
        .inNamespace(namespace)
        .withField("involvedObject.name", name)
        .list()
        .getItems()
        .stream()
        .filter(each -> "FailedCreate".equals(each.getReason()))
        .map(Event::getMessage)
        .filter(message -> message != null && !message.isBlank())
        .reduce("", (_, last) -> last);
  }

  /// Deletes Jobs and their pods, and waits until they are gone, for at most the grace time and
  /// [#DELETION_TIMEOUT].
  ///
  /// @return false if it cannot be proved that none is left
  boolean delete(Selection selection, Duration grace) {
    var deadline = System.nanoTime() + grace.plus(DELETION_TIMEOUT).toNanos();
    var changed = new Semaphore(0);
    try (var _ = pods.listen(changed::release)) {
      requestDeletion(selection, grace);
      while (true) {
        if (pods.all().stream().noneMatch(pod -> selection.labels().test(labels(pod)))
            && areGone(selection)) {
          return true;
        }
        var left = deadline - System.nanoTime();
        if (left <= 0) {
          return areGone(selection);
        }
        if (changed.tryAcquire(Math.min(left, POLL_INTERVAL.toNanos()), TimeUnit.NANOSECONDS)) {
          changed.drainPermits();
        }
      }
    } catch (KubernetesClientException e) {
      log.warn("cannot end jobs, will retry jobs={} error={}", selection.selector(), reason(e));
      return false;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /// Deletes the Jobs first, because they would create new pods. The grace time of a pod is at
  /// least one second, because with zero the pod would be removed before its processes have ended.
  private void requestDeletion(Selection selection, Duration grace) {
    var jobs = client.batch().v1().jobs().inNamespace(namespace);
    for (var each : jobs.withLabelSelector(selection.selector()).list().getItems()) {
      jobs.withName(each.getMetadata().getName())
          .withPropagationPolicy(DeletionPropagation.BACKGROUND)
          .delete();
    }
    for (var each : list(selection)) {
      client
          .pods()
          .inNamespace(namespace)
          .withName(each.getMetadata().getName())
          .withGracePeriod(JobSpec.seconds(grace))
          .delete();
    }
  }

  private boolean areGone(Selection selection) {
    return list(selection).isEmpty()
        && client
            .batch()
            .v1()
            .jobs()
            .inNamespace(namespace)
            .withLabelSelector(selection.selector())
            .list()
            .getItems()
            .isEmpty();
  }

  private List<Pod> list(Selection selection) {
    return client
        .pods()
        .inNamespace(namespace)
        .withLabelSelector(selection.selector())
        .list()
        .getItems();
  }

  /// Follows the log of a pod with timestamps; the stream ends when the container has ended, or the
  /// connection breaks.
  ///
  /// @param since empty for all of it
  InputStream log(String pod, Optional<String> since) {
    var container =
        client
            .pods()
            .inNamespace(namespace)
            .withName(pod)
            .inContainer(JobSpec.CONTAINER)
            .usingTimestamps();
    var watch =
        since.isPresent() ? container.sinceTime(since.get()).watchLog() : container.watchLog();
    return new FilterInputStream(watch.getOutput()) {
      @Override
      public void close() {
        watch.close();
      }
    };
  }

  static Map<String, String> labels(Pod pod) {
    return Optional.ofNullable(pod.getMetadata().getLabels()).orElse(Map.of());
  }

  static String reason(KubernetesClientException e) {
    var status = e.getStatus();
    if (status != null && status.getMessage() != null) {
      return status.getMessage();
    }
    return e.getCause() instanceof IOException cause
        ? cause.toString()
        : String.valueOf(e.getMessage());
  }

  @Override
  public void close() {
    pods.close();
    client.close();
  }
}
