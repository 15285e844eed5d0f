package dev.runnel.service.kubernetes;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// All pods of Runnel in a namespace, from one watch. While the watch is interrupted, the last
/// known state is kept. Thread-safe.
final class PodWatch implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PodWatch.class);
  private static final String BY_START = "start";

  private final SharedIndexInformer<Pod> informer;
  private final Set<Runnable> listeners = ConcurrentHashMap.newKeySet();

  private PodWatch(SharedIndexInformer<Pod> informer) {
    this.informer = informer;
  }

  /// Does not wait for the API server.
  static PodWatch start(KubernetesClient client, String namespace) {
    var informer =
        client
            .pods()
            .inNamespace(namespace)
            .withLabel(JobSpec.MANAGED_BY, JobSpec.RUNNEL)
            .runnableInformer(0);
    var watch = new PodWatch(informer);
    informer.addIndexers(
        Map.of(
            BY_START,
            pod -> Optional.ofNullable(Cluster.labels(pod).get(JobSpec.START)).stream().toList()));
    informer.addEventHandler(
        new ResourceEventHandler<>() {
          @Override
          public void onAdd(Pod pod) {
            watch.notifyListeners();
          }

          @Override
          public void onUpdate(Pod before, Pod now) {
            watch.notifyListeners();
          }

          @Override
          public void onDelete(Pod pod, boolean isStateUnknown) {
            watch.notifyListeners();
          }
        });
    informer.exceptionHandler(
        (isStarted, failure) -> {
          log.warn("cannot watch pods, will retry error={}", failure.toString());
          return true;
        });
    informer.start();
    return watch;
  }

  /// The pod of a start in its last known state.
  Optional<Pod> podOf(String start) {
    return informer.getIndexer().byIndex(BY_START, start).stream().findFirst();
  }

  List<Pod> all() {
    return List.copyOf(informer.getIndexer().list());
  }

  /// Calls a listener after each change of any pod, until the subscription is closed.
  Subscription listen(Runnable listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  @FunctionalInterface
  interface Subscription extends AutoCloseable {
    @Override
    void close();
  }

  private void notifyListeners() {
    listeners.forEach(Runnable::run);
  }

  @Override
  public void close() {
    informer.stop();
  }
}
