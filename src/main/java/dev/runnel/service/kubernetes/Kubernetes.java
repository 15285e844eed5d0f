package dev.runnel.service.kubernetes;

import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.isolation.RunningProcess;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Folders;
import dev.runnel.service.workspace.Repository;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
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

/// Runs commands as Jobs of Kubernetes.
public final class Kubernetes implements Isolation.Remote, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Kubernetes.class);
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration LAST_REQUESTS = Duration.ofSeconds(10);
  private static final int RETRIES = 2;
  private static final int MAX_MARK = 16;

  private static final FileAttribute<?> OWNERS_FOLDER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private final Cluster cluster;
  private final KubernetesSettings settings;
  private final Duration firstPause;
  private final Owner owner;
  private final Map<String, JobProcess> processes = new ConcurrentHashMap<>();
  private final Set<String> sweeping = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("kubernetes ", 0).factory());

  /// Who owns a folder.
  @FunctionalInterface
  interface Owner {
    /// @param kind `uid` or `gid`
    long id(Path folder, String kind) throws IOException;
  }

  private Kubernetes(
      KubernetesClient client, KubernetesSettings settings, Duration firstPause, Owner owner) {
    this.cluster = new Cluster(client, settings.namespace());
    this.settings = settings;
    this.firstPause = firstPause;
    this.owner = owner;
  }

  /// Uses the service account of Runnel's own pod, or else the `KUBECONFIG` of Runnel's user. Does
  /// not wait for the API server.
  ///
  /// @throws IOException if the files of earlier starts cannot be deleted
  public static Kubernetes open(KubernetesSettings settings) throws IOException {
    return open(client(), settings, PAUSE, Kubernetes::id);
  }

  static Kubernetes open(
      KubernetesClient client, KubernetesSettings settings, Duration firstPause, Owner owner)
      throws IOException {
    Folders.delete(settings.starts());
    return new Kubernetes(client, settings, firstPause, owner);
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
    // The claim is the same for setup commands and the agent.
    var name = "runnel-" + UUID.randomUUID();
    var mark = "runnel-" + UUID.randomUUID().toString().substring(0, MAX_MARK) + " ";
    var folder = settings.starts().resolve(name);
    var chosen = new HashMap<>(environment);
    chosen.keySet().retainAll(place.names());
    Files.createDirectories(settings.starts(), OWNERS_FOLDER);
    Files.createDirectory(folder, OWNERS_FOLDER);
    write(folder.resolve(StartScript.INPUT), input);
    write(folder.resolve(StartScript.ENVIRONMENT), StartScript.environment(chosen));
    var spec = new JobSpec(settings, owner.id(place.root(), "uid"), owner.id(place.root(), "gid"));
    var process =
        new JobProcess(
            cluster,
            spec.of(name, place, command, folder, mark),
            of(place.job().runId()).without(JobSpec.CLAIM, JobSpec.label(place.job().claim())),
            folder,
            Words.of(place, settings.quotas()),
            settings,
            mark,
            sink,
            firstPause,
            threads);
    processes.put(name, process);
    process.start();
    return process;
  }

  private static void write(Path file, String text) throws IOException {
    try (var channel =
        Files.newByteChannel(
            file,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      var bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
  }

  private static Cluster.Selection of(String runId) {
    return Cluster.Selection.of(JobSpec.RUN, JobSpec.label(runId));
  }

  /// What this process started is ended together with its files.
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
    return isEnded && cluster.end(which, settings.grace());
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
                var _ = cluster.end(of(run).and(JobSpec.CLAIM, claim), settings.grace());
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

  /// Leaves the Jobs that are not ended. What uses the client is stopped before it is closed.
  @Override
  public void close() {
    threads.shutdownNow();
    try {
      if (!threads.awaitTermination(LAST_REQUESTS.toSeconds(), TimeUnit.SECONDS)) {
        log.warn("threads left that follow jobs");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    cluster.close();
  }
}
