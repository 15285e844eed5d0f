package dev.runnel.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.app.settings.KnownPlatforms;
import dev.runnel.database.Database;
import dev.runnel.memory.MemoryBudget;
import dev.runnel.service.cleanup.FreeSpace;
import dev.runnel.service.egress.EgressSetting;
import dev.runnel.service.execution.NodeSettings;
import dev.runnel.service.execution.ServiceSettings;
import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.process.Spawner;
import dev.runnel.service.run.AgentAccess;
import dev.runnel.service.run.ChangeListener;
import dev.runnel.service.run.Factory;
import dev.runnel.service.run.NodeIdentity;
import dev.runnel.service.run.limit.Limits;
import dev.runnel.service.run.limit.StartLimits;
import dev.runnel.service.store.ServiceTables;
import dev.runnel.service.store.SlotLimits;
import dev.runnel.service.workspace.Environments;
import dev.runnel.service.workspace.PermissionRules;
import dev.runnel.service.workspace.Snapshots;
import dev.runnel.testkit.MigratedFile;
import dev.runnel.testkit.Postgres;
import dev.runnel.text.Redactor;
import io.javalin.Javalin;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// The service on a free port, with a client that knows the key.
public final class RunningService implements AutoCloseable {
  public static final String KEY = "test-key";
  public static final ObjectMapper JSON = new ObjectMapper();

  /// The databases of folders on PostgreSQL, so that a service that starts again finds its own.
  private static final Map<Path, String> ADDRESSES = new ConcurrentHashMap<>();

  private static final Map<Path, String> NAMES = new ConcurrentHashMap<>();
  private static final Map<Path, Snapshots> SNAPSHOTS = new ConcurrentHashMap<>();

  /// Classes run at the same time, each in its own thread.
  private static final ThreadLocal<Boolean> ON_POSTGRES = ThreadLocal.withInitial(() -> false);

  /// Lets the service of another folder share the database of this one, on PostgreSQL.
  ///
  /// @return its address
  static String share(Path folder, Path other) {
    var url = ADDRESSES.computeIfAbsent(folder, _ -> Postgres.fresh());
    ADDRESSES.put(other, url);
    return url;
  }

  /// Lets the next service of this folder be another node than the one before.
  static void rename(Path folder, String name) {
    NAMES.put(folder, name);
  }

  /// Where the services of this folder keep workspaces for other nodes.
  static void keepIn(Snapshots snapshots, Path folder) {
    SNAPSHOTS.put(folder, snapshots);
  }

  private static String name(Path folder) {
    return NAMES.getOrDefault(folder, folder.toString());
  }

  /// Whether services have their runs on PostgreSQL; see [OnPostgres].
  static void onPostgres(boolean postgres) {
    ON_POSTGRES.set(postgres);
  }

  /// Of a server that is large enough for all slots that tests use.
  private static final long HEAP = 2L * 1024 * 1024 * 1024;

  public final AgentRunService service;

  /// What waits in memory.
  public final MemoryBudget memory;

  private final Database database;
  private final Javalin server;
  private final HttpClient client = HttpClient.newHttpClient();

  /// What runs work in, and how much they may take.
  public record Setup(
      Environments environments,
      Limits limits,
      Isolation isolation,
      AgentAccess access,
      List<Factory> factories,
      EgressSetting egress,
      PermissionRules permissionRules) {
    public static final Setup USUAL =
        new Setup(
            Environments.NONE,
            Limits.DEFAULT,
            new Isolation.None(),
            AgentAccess.WORKSPACE,
            List.of(),
            EgressSetting.PUBLIC,
            PermissionRules.NONE);

    public Setup with(Environments others) {
      return new Setup(others, limits, isolation, access, factories, egress, permissionRules);
    }

    public Setup with(Limits others) {
      return new Setup(environments, others, isolation, access, factories, egress, permissionRules);
    }

    public Setup with(Isolation other) {
      return new Setup(environments, limits, other, access, factories, egress, permissionRules);
    }

    public Setup with(EgressSetting other) {
      return new Setup(environments, limits, isolation, access, factories, other, permissionRules);
    }

    Setup with(AgentAccess other) {
      return new Setup(environments, limits, isolation, other, factories, egress, permissionRules);
    }

    public Setup with(PermissionRules other) {
      return new Setup(environments, limits, isolation, access, factories, egress, other);
    }

    public Setup with(Factory factory) {
      return new Setup(
          environments, limits, isolation, access, List.of(factory), egress, permissionRules);
    }
  }

  private RunningService(
      Path folder,
      Optional<String> command,
      Map<String, String> environment,
      int slots,
      Setup setup,
      InstantSource clock,
      Spawner spawner,
      FreeSpace disk,
      MemoryBudget memory) {
    this.database = open(folder);
    var node =
        database.isEmbedded()
            ? NodeSettings.ALONE
            : new NodeSettings(
                new NodeIdentity(name(folder), "test", name(folder)),
                NodeSettings.DEFAULT_LEASE,
                SlotLimits.DEFAULT,
                Optional.ofNullable(SNAPSHOTS.get(folder)));
    this.memory = MemoryBudget.of(HEAP);
    var settings =
        new ServiceSettings(
            folder.resolve("workspaces"),
            KEY,
            () -> URI.create("http://runnel.test:8080/"),
            command,
            environment,
            slots,
            Duration.ofSeconds(1),
            setup.environments(),
            setup.limits(),
            setup.isolation(),
            setup.access(),
            setup.factories(),
            () -> uri("/api/v1"),
            Redactor.PATTERNS,
            KnownPlatforms.sources(),
            setup.egress(),
            setup.permissionRules(),
            memory);
    this.service =
        AgentRunService.open(
            database, settings, node, ChangeListener.NONE, StartLimits.NONE, clock, spawner, disk);
    this.server =
        Javalin.create(
                config -> {
                  config.concurrency.useVirtualThreads = true;
                  config.startup.showJavalinBanner = false;
                  config.http.maxRequestSize = AgentRunService.MAX_BYTES;
                  service.routes(config.routes);
                })
            .start("127.0.0.1", 0);
  }

  private static Database open(Path folder) {
    return ON_POSTGRES.get()
        ? Database.postgres(
            ADDRESSES.computeIfAbsent(folder, _ -> Postgres.fresh()), ServiceTables.SCHEMA)
        : MigratedFile.open(folder.resolve("agent-runs.db"), ServiceTables.ON_SQLITE);
  }

  private RunningService(
      Path folder,
      Optional<String> command,
      Map<String, String> environment,
      int slots,
      Setup setup,
      InstantSource clock,
      Spawner spawner,
      FreeSpace disk) {
    this(
        folder,
        command,
        environment,
        slots,
        setup,
        clock,
        spawner,
        disk,
        MemoryBudget.ofThisProcess());
  }

  private RunningService(
      Path folder,
      Optional<String> command,
      Map<String, String> environment,
      int slots,
      Setup setup) {
    this(
        folder,
        command,
        environment,
        slots,
        setup,
        InstantSource.system(),
        Spawner.system(),
        FreeSpace.of(folder));
  }

  public static RunningService withCommand(Path folder, String command) {
    return withCommand(folder, command, 4);
  }

  static RunningService withClock(Path folder, String command, InstantSource clock) {
    return new RunningService(
        folder,
        Optional.of(command),
        System.getenv(),
        4,
        Setup.USUAL,
        clock,
        Spawner.system(),
        FreeSpace.of(folder));
  }

  static RunningService withMemory(Path folder, String command, MemoryBudget memory) {
    return new RunningService(
        folder,
        Optional.of(command),
        System.getenv(),
        4,
        Setup.USUAL,
        InstantSource.system(),
        Spawner.system(),
        FreeSpace.of(folder),
        memory);
  }

  public static RunningService withDisk(Path folder, String command, FreeSpace disk) {
    return new RunningService(
        folder,
        Optional.of(command),
        System.getenv(),
        4,
        Setup.USUAL,
        InstantSource.system(),
        Spawner.system(),
        disk);
  }

  public static RunningService withSpawner(
      Path folder, String command, Setup setup, Spawner spawner) {
    return new RunningService(
        folder,
        Optional.of(command),
        System.getenv(),
        4,
        setup,
        InstantSource.system(),
        spawner,
        FreeSpace.of(folder));
  }

  public static RunningService withCommand(Path folder, String command, int slots) {
    return new RunningService(folder, Optional.of(command), System.getenv(), slots, Setup.USUAL);
  }

  public static RunningService with(Path folder, String command, int slots, Setup setup) {
    return new RunningService(folder, Optional.of(command), System.getenv(), slots, setup);
  }

  static RunningService inEnvironment(
      Path folder, Optional<String> command, Map<String, String> more) {
    return inEnvironment(folder, command, more, Setup.USUAL);
  }

  public static RunningService inEnvironment(
      Path folder, Optional<String> command, Map<String, String> more, Setup setup) {
    var environment = new HashMap<>(System.getenv());
    environment.putAll(more);
    return new RunningService(folder, command, environment, 4, setup);
  }

  public static RunningService inOnlyThisEnvironment(
      Path folder, Map<String, String> environment, AgentAccess agentAccess) {
    return inOnlyThisEnvironment(folder, environment, agentAccess, new Isolation.None());
  }

  /// With the agents that are there; nothing of this process's environment is passed on.
  public static RunningService inOnlyThisEnvironment(
      Path folder, Map<String, String> environment, AgentAccess agentAccess, Isolation isolation) {
    return inOnlyThisEnvironment(folder, environment, agentAccess, isolation, EgressSetting.PUBLIC);
  }

  public static RunningService inOnlyThisEnvironment(
      Path folder,
      Map<String, String> environment,
      AgentAccess agentAccess,
      Isolation isolation,
      EgressSetting egress) {
    return new RunningService(
        folder,
        Optional.empty(),
        environment,
        4,
        Setup.USUAL.with(agentAccess).with(isolation).with(egress));
  }

  /// With a command as the agent; nothing of this process's environment is passed on.
  public static RunningService inOnlyThisEnvironment(
      Path folder, Optional<String> command, Map<String, String> environment, Setup setup) {
    return new RunningService(folder, command, environment, 4, setup);
  }

  public URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.port() + path);
  }

  public HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return client.send(request.build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  public HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(uri("/api/v1" + path)).header("Authorization", "Bearer " + KEY);
  }

  public HttpResponse<String> get(String path) {
    return send(request(path));
  }

  public HttpResponse<String> post(String path, String body) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body)));
  }

  public HttpResponse<String> post(String path, String body, String idempotencyKey) {
    return send(
        request(path)
            .header("Idempotency-Key", idempotencyKey)
            .POST(BodyPublishers.ofString(body)));
  }

  public HttpResponse<String> cancel(String runId) {
    return send(request("/agent/runs/" + runId + "/cancel").POST(BodyPublishers.noBody()));
  }

  /// @param includesBlocked `true` or `false`
  public HttpResponse<String> cancel(String runId, String includesBlocked) {
    return send(
        request("/agent/runs/" + runId + "/cancel?include_blocked=" + includesBlocked)
            .POST(BodyPublishers.noBody()));
  }

  public JsonNode ok(HttpResponse<String> response) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return json(response);
  }

  /// Creates a run and returns its id.
  public String create(String prompt) {
    return create(JSON.createObjectNode().put("prompt", prompt));
  }

  public String create(ObjectNode body) {
    return ok(post("/agent/runs", body.toString())).get("run_id").asText();
  }

  public JsonNode followUp(String runId, String message) {
    return ok(
        post(
            "/agent/runs/" + runId + "/followups",
            JSON.createObjectNode().put("message", message).toString()));
  }

  public JsonNode run(String runId) {
    return ok(get("/agent/runs/" + runId));
  }

  public String state(String runId) {
    return run(runId).get("state").asText();
  }

  public JsonNode awaitState(String runId, String state) {
    await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(20))
        .untilAsserted(() -> assertThat(state(runId)).isEqualTo(state));
    return run(runId);
  }

  /// What the run says of itself.
  public String message(String runId) {
    return run(runId).path("status_message").path("message").asText();
  }

  /// The standard output, as the transcript's address serves it.
  public String transcript(String runId) {
    var redirect = get("/agent/runs/" + runId + "/transcript");
    assertThat(redirect.statusCode()).isEqualTo(302);
    var location = redirect.headers().firstValue("Location").orElseThrow();
    return send(HttpRequest.newBuilder(uri(location))).body();
  }

  public static JsonNode json(HttpResponse<String> response) {
    try {
      return JSON.readTree(response.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The error code of a problem, after checking its shape.
  public static String problem(HttpResponse<String> response) {
    assertThat(response.headers().firstValue("Content-Type").orElse(""))
        .startsWith("application/problem+json");
    var problem = json(response);
    assertThat(problem.get("status").asInt()).isEqualTo(response.statusCode());
    assertThat(problem.get("title").asText()).isNotBlank();
    assertThat(problem.get("error").asText()).isNotBlank();
    assertThat(problem.get("trace_id").asText()).matches("[0-9a-f]{32}");
    var type = problem.get("type").asText();
    assertThat(type).startsWith("http://runnel.test:8080/problems/");
    return type.substring(type.lastIndexOf('/') + 1);
  }

  /// Waits until an agent has made a file.
  public static void awaitFile(Path file) {
    await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(20))
        .until(() -> Files.exists(file));
  }

  /// Makes a file for which an agent waits, in a folder that the run may not have yet.
  public static void createFile(Path file) {
    try {
      awaitFile(file.resolveSibling("."));
      Files.createFile(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// From now on nothing can be read or kept.
  void loseDatabase() {
    database.close();
  }

  @Override
  public void close() {
    server.stop();
    service.close();
    database.close();
  }
}
