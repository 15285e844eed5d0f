package dev.runnel.service.kubernetes;

import static org.awaitility.Awaitility.await;

import dev.runnel.service.isolation.Quotas;
import dev.runnel.service.workspace.PodOptions;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.EventList;
import io.fabric8.kubernetes.api.model.EventListBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.server.mock.KubernetesCrudDispatcher;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.fabric8.mockwebserver.MockWebServer;
import io.fabric8.mockwebserver.http.MockResponse;
import io.fabric8.mockwebserver.http.RecordedRequest;
import io.fabric8.mockwebserver.http.Response;
import io.fabric8.mockwebserver.http.WebSocket;
import io.fabric8.mockwebserver.http.WebSocketListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The API server of fabric8's mock, which keeps what is created, with a controller that makes a
/// pod of each Job, and a kubelet that runs it with a [Runner].
final class FakeCluster implements AutoCloseable {
  static final String NAMESPACE = "agents";
  private static final String FINALIZER = "runnel.test/kubelet";
  private static final Duration GRACE = Duration.ofSeconds(5);
  private static final Quotas QUOTAS = new Quotas(1L << 30, 100, 1.5);
  private static final Duration START = Duration.ofMinutes(1);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

  private static final Pattern VERSION = Pattern.compile("[?&]resourceVersion=(\\d+)");

  /// What a watch is sent that asks for what happened since a time that the server has forgotten.
  private static final String GONE =
      """
      {"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure",\
      "reason":"Expired","code":410,"message":"too old resource version"}}\
      """;

  /// Runs the container of a pod.
  @FunctionalInterface
  interface Runner {
    Container start(Pod pod, Log log) throws IOException;
  }

  /// A container that runs.
  interface Container {
    /// @return its exit status
    int await() throws InterruptedException;

    /// Asks its first process to terminate, and kills it after the grace time.
    void stop(Duration grace);
  }

  /// What a container has written, with the time of each line.
  static final class Log {
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private Instant last = Instant.EPOCH;

    synchronized void add(String line) {
      var now = Instant.now();
      last = now.isAfter(last) ? now : last.plusNanos(1);
      lines.add(last + " " + line);
    }

    String since(Instant since) {
      return lines.stream()
          .filter(line -> !Instant.parse(line.substring(0, line.indexOf(' '))).isBefore(since))
          .map(line -> line + "\n")
          .collect(Collectors.joining());
    }
  }

  /// A watch that can be closed alone.
  private final class Watch extends WebSocketListener {
    private final WebSocketListener events;

    Watch(WebSocketListener events) {
      this.events = events;
    }

    @Override
    public void onOpen(WebSocket socket, Response response) {
      watches.add(socket);
      events.onOpen(socket, response);
    }

    @Override
    public void onClosing(WebSocket socket, int code, String reason) {
      events.onClosing(socket, code, reason);
    }

    @Override
    public void onClosed(WebSocket socket, int code, String reason) {
      watches.remove(socket);
      events.onClosed(socket, code, reason);
    }

    @Override
    public void onFailure(WebSocket socket, Throwable failure, Response response) {
      watches.remove(socket);
      events.onFailure(socket, failure, response);
    }
  }

  private final class Api extends KubernetesCrudDispatcher {
    @Override
    public MockResponse dispatch(RecordedRequest request) {
      var line = request.method() + " " + request.getPath();
      requests.add(line);
      var response =
          line.contains("watch=true")
              ? watch(line, request)
              : answer(line, request.getPath(), request);
      if (response.code() < 300 && opensWatches.test(line)) {
        opensWatches = _ -> false;
        refusesWatches = false;
      }
      return response;
    }

    private MockResponse watch(String line, RecordedRequest request) {
      if (refusesWatches) {
        return new MockResponse().setResponseCode(503).setBody("{\"kind\":\"Status\"}");
      }
      var version = VERSION.matcher(line);
      var isGone = version.find() && Long.parseLong(version.group(1)) < oldestVersion;
      if (!"websocket".equalsIgnoreCase(request.getHeader("Upgrade"))) {
        // The client reads a plain answer after it was refused a WebSocket. The mock has none, so
        // the client is told to begin again, which it does with a WebSocket.
        return new MockResponse().setResponseCode(200).setBody(GONE + "\n");
      }
      var watch =
          isGone
              ? new WebSocketListener() {
                @Override
                public void onOpen(WebSocket socket, Response response) {
                  socket.send(GONE);
                }
              }
              : super.dispatch(request).getWebSocketListener();
      return new MockResponse().withWebSocketUpgrade(new Watch(watch));
    }

    private MockResponse answer(String line, String path, RecordedRequest request) {
      var refused = refusals.apply(line);
      if (refused.isPresent()) {
        return new MockResponse().setResponseCode(403).setBody(refused.get());
      }
      if (path.endsWith("/selfsubjectaccessreviews")) {
        return new MockResponse()
            .setResponseCode(201)
            .setBody(Serialization.asJson(review(request.getUtf8Body())));
      }
      // The mock knows no fields of events.
      if (path.contains("/events?fieldSelector=involvedObject.name%3D")) {
        return new MockResponse().setResponseCode(200).setBody(Serialization.asJson(events(path)));
      }
      var log = path.indexOf("/log?");
      if (log < 0) {
        // The mock reads and writes in two steps, so that a change of the status could take back a
        // deletion.
        synchronized (this) {
          return super.dispatch(request);
        }
      }
      var pod = path.substring(path.lastIndexOf('/', log - 1) + 1, log);
      var asked = path.indexOf("sinceTime=");
      var since =
          asked < 0
              ? Instant.EPOCH
              : Instant.parse(
                  path.substring(asked + "sinceTime=".length())
                      .split("&", -1)[0]
                      .replace("%3A", ":"));
      var found = logs.get(pod);
      return found == null
          ? new MockResponse().setResponseCode(404).setBody("{\"kind\":\"Status\"}")
          : new MockResponse()
              .setResponseCode(200)
              .setBody(found.since(Instant.ofEpochSecond(since.getEpochSecond())));
    }
  }

  final List<String> requests = new CopyOnWriteArrayList<>();
  private final Map<String, Log> logs = new ConcurrentHashMap<>();
  private final Map<String, Container> running = new ConcurrentHashMap<>();
  // Of pods that are being started, or were.
  private final Map<String, CompletableFuture<Container>> started = new ConcurrentHashMap<>();
  // The pods whose container was asked to stop.
  private final Set<String> stopped = ConcurrentHashMap.newKeySet();
  private final Set<WebSocket> watches = ConcurrentHashMap.newKeySet();
  private volatile boolean refusesWatches;
  private volatile Predicate<String> opensWatches = _ -> false;
  // Watches must begin at this version, or later.
  private volatile long oldestVersion;
  private final Path volume;
  private final Runner runner;
  private final Api api = new Api();
  private final int port;
  private MockWebServer server;
  private final KubernetesClient client;
  private volatile Function<Pod, Optional<PodStatus>> stalls = _ -> Optional.empty();
  private volatile Function<String, Optional<String>> refusals = _ -> Optional.empty();
  private volatile boolean makesPods = true;
  private volatile boolean closed;
  private volatile String reasonForMissingPod = "";
  private volatile Set<String> denied = Set.of();

  FakeCluster(Path volume, Runner runner) {
    this.volume = volume;
    this.runner = runner;
    this.server = serve(0);
    this.port = server.getPort();
    this.client = Kubernetes.client(config(port));
    inform(
        client.batch().v1().jobs().inNamespace(NAMESPACE).runnableInformer(0),
        new Handler<Job>() {
          @Override
          public void onAdd(Job job) {
            work(() -> makePod(job));
          }
        });
    inform(
        client.pods().inNamespace(NAMESPACE).runnableInformer(0),
        new Handler<Pod>() {
          @Override
          public void onUpdate(Pod before, Pod now) {
            if (now.getMetadata().getDeletionTimestamp() != null
                && before.getMetadata().getDeletionTimestamp() == null) {
              work(() -> terminate(now));
            }
          }
        });
  }

  /// Goes on when the API server is back.
  private static <T> void inform(SharedIndexInformer<T> informer, Handler<T> handler) {
    informer.addEventHandler(handler);
    informer.exceptionHandler((_, _) -> true);
    informer.run();
  }

  private MockWebServer serve(int on) {
    var fresh = new MockWebServer();
    fresh.setDispatcher(api);
    fresh.start(InetAddress.getLoopbackAddress(), on);
    return fresh;
  }

  int port() {
    return port;
  }

  private static Config config(int port) {
    return new ConfigBuilder()
        .withAutoConfigure(false)
        .withMasterUrl("http://127.0.0.1:" + port)
        .withNamespace(NAMESPACE)
        .withWatchReconnectInterval(50)
        .withRequestRetryBackoffInterval(20)
        .build();
  }

  Kubernetes isolation() {
    return isolation(START);
  }

  /// @param start how long a pod may take until it runs
  Kubernetes isolation(Duration start) {
    return isolation(start, Kubernetes::id);
  }

  Kubernetes isolation(Duration start, Kubernetes.Owner owner) {
    return isolation(port, volume, volume, QUOTAS, start, owner);
  }

  /// @param data the data folder, on the volume
  Kubernetes isolation(Path data, Quotas quotas, Kubernetes.Owner owner) {
    return isolation(port, volume, data, quotas, START, owner);
  }

  /// For another process.
  static Kubernetes isolation(int port, Path volume) {
    return isolation(port, volume, volume, QUOTAS, START, Kubernetes::id);
  }

  private static Kubernetes isolation(
      int port, Path volume, Path data, Quotas quotas, Duration start, Kubernetes.Owner owner) {
    var settings =
        new KubernetesSettings(
            NAMESPACE,
            "work",
            volume,
            data.resolve("starts"),
            PodOptions.NONE,
            quotas,
            start,
            Duration.ofHours(1),
            Duration.ofSeconds(2));
    try {
      return Kubernetes.open(Kubernetes.client(config(port)), settings, FIRST_PAUSE, owner);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Lets pods stop at a status instead of running.
  void stall(PodStatus status) {
    stalls = _ -> Optional.of(status);
  }

  /// The controller makes no pods of Jobs, and says why in an event.
  void makeNoPods(String why) {
    makesPods = false;
    this.reasonForMissingPod = why;
  }

  /// Takes rights away: `create jobs`, …
  void deny(Set<String> rights) {
    denied = rights;
  }

  private SelfSubjectAccessReview review(String asked) {
    var review = Serialization.unmarshal(asked, SelfSubjectAccessReview.class);
    var what = review.getSpec().getResourceAttributes();
    var right =
        what.getVerb()
            + " "
            + what.getResource()
            + (what.getSubresource() == null ? "" : "/" + what.getSubresource());
    return new SelfSubjectAccessReviewBuilder(review)
        .withNewStatus()
        .withAllowed(!denied.contains(right))
        .endStatus()
        .build();
  }

  private EventList events(String path) {
    return new EventListBuilder()
        .addNewItem()
        .withReason("FailedCreate")
        .withMessage(reasonForMissingPod)
        .withNewInvolvedObject()
        .withName(path.substring(path.lastIndexOf("%3D") + 3))
        .endInvolvedObject()
        .endItem()
        .build();
  }

  /// Refuses requests to create Jobs.
  void refuseJobs(String why) {
    refusals =
        request ->
            request.startsWith("POST") && request.endsWith("/jobs")
                ? Optional.of(
                    "{\"kind\":\"Status\",\"status\":\"Failure\",\"code\":403,\"message\":\"%s\"}"
                        .formatted(why))
                : Optional.empty();
  }

  /// The API server goes away, with all its connections.
  void goAway() {
    server.shutdown();
  }

  /// It has forgotten what happened before, as an API server does.
  void comeBack() {
    forget();
    server = serve(port);
  }

  private void forget() {
    oldestVersion = api.requestResourceVersion();
  }

  /// Closes all watches, but no other connection. What happens until they are open again is
  /// forgotten.
  ///
  /// @param last the request after whose success watches are accepted again
  void closeWatches(Predicate<String> last) {
    refuseWatchesUntil(
        request -> {
          var isLast = last.test(request);
          if (isLast) {
            forget();
          }
          return isLast;
        });
    watches.forEach(each -> each.close(1000, "timeout"));
  }

  /// Refuses watches.
  ///
  /// @param last the request after whose success they are accepted again
  void refuseWatchesUntil(Predicate<String> last) {
    opensWatches = last;
    refusesWatches = true;
  }

  /// A Job that works, as a lost node leaves it.
  void leave(String name, String runId, String claim) {
    var labels =
        Map.of(
            JobSpec.MANAGED_BY,
            JobSpec.RUNNEL,
            JobSpec.START,
            name,
            JobSpec.RUN,
            runId,
            JobSpec.CLAIM,
            claim);
    client
        .batch()
        .v1()
        .jobs()
        .inNamespace(NAMESPACE)
        .resource(
            new JobBuilder()
                .withNewMetadata()
                .withName(name)
                .withLabels(labels)
                .endMetadata()
                .withNewSpec()
                .withNewTemplate()
                .withNewMetadata()
                .withLabels(labels)
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName(JobSpec.CONTAINER)
                .withCommand("sleep", "300")
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build())
        .create();
  }

  List<Job> jobs() {
    return client.batch().v1().jobs().inNamespace(NAMESPACE).list().getItems();
  }

  List<Pod> pods() {
    return client.pods().inNamespace(NAMESPACE).list().getItems();
  }

  KubernetesClient client() {
    return client;
  }

  /// How many containers run.
  int running() {
    return running.size();
  }

  /// The kubelet reports that the container has ended in some way, and ends it.
  void report(Function<PodStatusBuilder, PodStatusBuilder> change) {
    var pod = pods().getFirst().getMetadata().getName();
    status(pod, change.apply(new PodStatusBuilder()).build());
    Optional.ofNullable(running.remove(pod)).ifPresent(it -> it.stop(Duration.ZERO));
  }

  /// What is still to be done when it is closed need not be done.
  private void work(Runnable work) {
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                work.run();
              } catch (RuntimeException e) {
                if (!closed) {
                  throw e;
                }
              }
            });
  }

  private void makePod(Job job) {
    var name = job.getMetadata().getName() + "-x";
    var template = job.getSpec().getTemplate();
    var pod =
        new PodBuilder()
            .withNewMetadataLike(template.getMetadata())
            .withName(name)
            .withFinalizers(FINALIZER)
            .endMetadata()
            .withSpec(template.getSpec())
            .withNewStatus()
            .withPhase("Pending")
            .endStatus()
            .build();
    if (!makesPods) {
      return;
    }
    var stalled = stalls.apply(pod);
    var starting = new CompletableFuture<Container>();
    if (stalled.isEmpty()) {
      started.put(name, starting);
    }
    retry(() -> create(pod));
    if (stalled.isPresent()) {
      status(name, stalled.get());
      return;
    }
    var log = new Log();
    logs.put(name, log);
    try {
      var container = runner.start(pod, log);
      running.put(name, container);
      starting.complete(container);
      status(
          name,
          state(new ContainerStateBuilder().withNewRunning().endRunning(), "Running").build());
      var code = container.await();
      if (running.remove(name) != null) {
        retry(() -> ended(name, code));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void create(Pod pod) {
    try {
      client.pods().inNamespace(NAMESPACE).resource(pod).create();
    } catch (KubernetesClientException e) {
      // The answer to an attempt before was lost.
      if (e.getCode() != 409) {
        throw e;
      }
    }
  }

  private void ended(String name, int code) {
    status(
        name,
        state(
                new ContainerStateBuilder()
                    .withNewTerminated()
                    .withExitCode(code)
                    .withReason(code == 0 ? "Completed" : "Error")
                    .endTerminated(),
                code == 0 ? "Succeeded" : "Failed")
            .build());
  }

  static PodStatusBuilder state(ContainerStateBuilder state, String phase) {
    return new PodStatusBuilder()
        .withPhase(phase)
        .addNewContainerStatus()
        .withName(JobSpec.CONTAINER)
        .withState(state.build())
        .endContainerStatus();
  }

  private void status(String pod, PodStatus status) {
    retry(
        () -> {
          if (client.pods().inNamespace(NAMESPACE).withName(pod).get() != null) {
            client
                .pods()
                .inNamespace(NAMESPACE)
                .withName(pod)
                .editStatus(it -> new PodBuilder(it).withStatus(status).build());
          }
        });
  }

  /// A kubelet goes on when the API server is back, however long it was away.
  private static void retry(Runnable work) {
    await()
        .atMost(Duration.ofMinutes(5))
        .pollInterval(Duration.ofMillis(50))
        .ignoreExceptions()
        .until(
            () -> {
              work.run();
              return true;
            });
  }

  /// Whoever deletes a pod again waits for its container, too.
  private void terminate(Pod pod) {
    var name = pod.getMetadata().getName();
    var starting = Optional.ofNullable(started.get(name));
    if (starting.isPresent()) {
      var container = starting.get().join();
      if (stopped.add(name)) {
        container.stop(GRACE);
      }
      try {
        container.await();
        await().until(() -> !running.containsKey(name));
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }
    retry(
        () -> {
          if (client.pods().inNamespace(NAMESPACE).withName(name).get() != null) {
            client
                .pods()
                .inNamespace(NAMESPACE)
                .withName(name)
                .edit(
                    it ->
                        new PodBuilder(it)
                            .editMetadata()
                            .withFinalizers(List.of())
                            .endMetadata()
                            .build());
          }
        });
  }

  private abstract static class Handler<T> implements ResourceEventHandler<T> {
    @Override
    public void onAdd(T added) {}

    @Override
    public void onUpdate(T before, T now) {}

    @Override
    public void onDelete(T deleted, boolean isStateUnknown) {}
  }

  @Override
  public void close() {
    closed = true;
    running.values().forEach(each -> each.stop(Duration.ZERO));
    client.close();
    server.shutdown();
  }
}
