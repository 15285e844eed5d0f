package dev.runnel.service.kubernetes;

import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.isolation.RunningProcess;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Folders;
import dev.runnel.service.workspace.Repository;
import dev.runnel.threads.SupervisedThread;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs commands as Kubernetes Jobs.
public final class Kubernetes implements Isolation.Remote, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Kubernetes.class);
  private static final Duration FIRST_DELAY = Duration.ofSeconds(1);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);
  private static final int RETRIES = 2;
  private static final int PREFIX_LENGTH = 16;

  private final Cluster cluster;
  private final KubernetesSettings settings;
  private final Duration firstDelay;
  private final Owner owner;
  private final Map<String, JobProcess> processes = new ConcurrentHashMap<>();
  private final Set<String> sweeping = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(SupervisedThread.virtuals("kubernetes"));

  /// Reads the owner of a folder.
  @FunctionalInterface
  interface Owner {
    /// @param kind `uid` or `gid`
    long id(Path folder, String kind) throws IOException;
  }

  private Kubernetes(
      KubernetesClient client, KubernetesSettings settings, Duration firstDelay, Owner owner) {
    this.cluster = new Cluster(client, settings.namespace());
    this.settings = settings;
    this.firstDelay = firstDelay;
    this.owner = owner;
  }

  /// Uses the service account of Runnel's own pod, or else the `KUBECONFIG` of Runnel's user. Does
  /// not wait for the API server.
  ///
  /// @throws IOException if the files of earlier starts cannot be deleted
  public static Kubernetes open(KubernetesSettings settings) throws IOException {
    return open(client(), settings, FIRST_DELAY, Kubernetes::id);
  }

  static Kubernetes open(
      KubernetesClient client, KubernetesSettings settings, Duration firstDelay, Owner owner)
      throws IOException {
    Folders.delete(settings.starts());
    return new Kubernetes(client, settings, firstDelay, owner);
  }

  static long id(Path folder, String kind) throws IOException {
    return ((Number) Files.getAttribute(folder, "unix:" + kind)).longValue();
  }

  static KubernetesClient client() {
    return client(Config.autoConfigure(null));
  }

  static KubernetesClient client(Config config) {
    return new KubernetesClientBuilder()
        .withConfig(new ConfigBuilder(config).withRequestRetryBackoffLimit(RETRIES).build())
        .withHttpClientFactory(new JdkHttpClientFactory())
        .build();
  }

  /// The namespace of Runnel's own pod, or of the `KUBECONFIG`.
  public static String ownNamespace() {
    return Optional.ofNullable(Config.autoConfigure(null).getNamespace()).orElse("default");
  }

  @Override
  public RunningProcess start(
      List<String> command,
      Place place,
      Map<String, String> environment,
      String input,
      RunningProcess.Sink sink)
      throws IOException {
    // Setup commands and the agent have the same claim, so each start needs a name of its own.
    var name = "runnel-" + UUID.randomUUID();
    var errorPrefix = "runnel-" + UUID.randomUUID().toString().substring(0, PREFIX_LENGTH) + " ";
    var folder = settings.starts().resolve(name);
    var chosen = new HashMap<>(environment);
    chosen.keySet().retainAll(place.names());
    Files.createDirectories(settings.starts(), Folders.PRIVATE_FOLDER);
    Files.createDirectory(folder, Folders.PRIVATE_FOLDER);
    write(folder.resolve(StartScript.INPUT), input);
    write(folder.resolve(StartScript.ENVIRONMENT), StartScript.environment(chosen));
    var spec = new JobSpec(settings, owner.id(place.root(), "uid"), owner.id(place.root(), "gid"));
    var process =
        new JobProcess(
            cluster,
            spec.of(name, place, command, folder, errorPrefix),
            of(place.request().runId())
                .without(JobSpec.CLAIM, JobSpec.label(place.request().claim())),
            folder,
            PodResults.of(place, settings.quotas()),
            settings,
            errorPrefix,
            sink,
            firstDelay,
            threads);
    processes.put(name, process);
    process.start();
    return process;
  }

  private static void write(Path file, String text) throws IOException {
    Folders.createFile(file, text.getBytes(StandardCharsets.UTF_8));
  }

  private static Cluster.Selection of(String runId) {
    return Cluster.Selection.of(JobSpec.RUN, JobSpec.label(runId));
  }

  /// For what this process started, also deletes the files of the start.
  @Override
  public boolean cleanUp(String runId, int execution, Map<String, String> environment) {
    var which = of(runId).and(JobSpec.EXECUTION, Integer.toString(execution));
    var isEnded = true;
    for (var each : List.copyOf(processes.entrySet())) {
      if (which.labels().test(each.getValue().labels())) {
        if (each.getValue().end(settings.grace())) {
          processes.remove(each.getKey());
        } else {
          isEnded = false;
        }
      }
    }
    return isEnded && cluster.delete(which, settings.grace());
  }

  @Override
  public void sweep(BiPredicate<String, String> isOver) {
    for (var pod : cluster.pods().all()) {
      var labels = Cluster.labels(pod);
      var run = labels.get(JobSpec.RUN);
      var claim = labels.get(JobSpec.CLAIM);
      if (run != null && claim != null && isOver.test(run, claim) && sweeping.add(claim)) {
        threads.execute(
            () -> {
              try {
                var _ = cluster.delete(of(run).and(JobSpec.CLAIM, claim), settings.grace());
              } finally {
                sweeping.remove(claim);
              }
            });
      }
    }
  }

  @Override
  public Optional<String> problem(Environment environment) {
    if (environment.image().isEmpty()) {
      return Optional.of(
          "Agents work in Kubernetes here, and the environment %s names no image. Set its docker_image."
              .formatted(environment.name()));
    }
    if (environment.repositories().stream().anyMatch(Repository::push)) {
      return Optional.of(
          "Agents work in Kubernetes here, where Runnel cannot add logins for git. Take push out of the environment %s, and give it a variable or a secret."
              .formatted(environment.name()));
    }
    return Optional.empty();
  }

  @Override
  public String line() {
    return "Kubernetes: agents work in pods of the namespace "
        + settings.namespace()
        + ", of the environments' images; their network is that of the pods";
  }

  /// Does not end running Jobs. Stops the threads that use the client before the client is closed.
  @Override
  public void close() {
    threads.shutdownNow();
    try {
      if (!threads.awaitTermination(CLOSE_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
        log.warn("threads that follow jobs still running");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    cluster.close();
  }
}
