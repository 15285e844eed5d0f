package dev.runnel.app;

import static java.util.Objects.requireNonNull;

import dev.runnel.app.data.DataFolder;
import dev.runnel.app.data.RunDatabase;
import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.KnownPlatforms;
import dev.runnel.app.settings.RunnelSettings;
import dev.runnel.app.settings.Secrets;
import dev.runnel.app.settings.SettingsException;
import dev.runnel.client.RunsClient;
import dev.runnel.console.Console;
import dev.runnel.console.access.ConsoleAuthentication;
import dev.runnel.console.access.ConsoleSurface;
import dev.runnel.console.access.SignInProviders;
import dev.runnel.console.numbers.Numbers;
import dev.runnel.console.transcript.Transcripts;
import dev.runnel.console.view.About;
import dev.runnel.console.view.RunRowView;
import dev.runnel.core.deliver.Courier;
import dev.runnel.core.deliver.FileDelivery;
import dev.runnel.core.dispatch.Dispatcher;
import dev.runnel.core.dispatch.FamilyStarts;
import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.port.RunStatistics;
import dev.runnel.core.port.Surface;
import dev.runnel.core.port.TraceRecorder;
import dev.runnel.core.recovery.OutageRecovery;
import dev.runnel.core.redact.RedactedCatalog;
import dev.runnel.core.redact.RedactedRuns;
import dev.runnel.core.redact.RedactedSurface;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.core.watch.MissedDeliveryPoller;
import dev.runnel.core.watch.ScheduleStarter;
import dev.runnel.core.watch.Watcher;
import dev.runnel.database.Database;
import dev.runnel.database.DatabaseException;
import dev.runnel.database.ExclusiveUse;
import dev.runnel.metrics.Metrics;
import dev.runnel.runs.ClientAgentRuns;
import dev.runnel.runs.ClientRunCatalog;
import dev.runnel.service.AgentRunService;
import dev.runnel.service.cleanup.RunCleanup;
import dev.runnel.service.execution.NodeSettings;
import dev.runnel.service.execution.ServiceSettings;
import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.isolation.Isolations;
import dev.runnel.service.run.NodeIdentity;
import dev.runnel.service.run.limit.StartLimits;
import dev.runnel.service.store.RunErasure;
import dev.runnel.store.ConversationWorkers;
import dev.runnel.store.DatabaseHealth;
import dev.runnel.store.SqlSessions;
import dev.runnel.store.SqlStore;
import dev.runnel.store.StartSums;
import dev.runnel.store.SteadyClock;
import dev.runnel.store.audit.AuditLog;
import dev.runnel.store.audit.SettingsSeen;
import dev.runnel.surface.hook.HookSurface;
import dev.runnel.text.Redactor;
import dev.runnel.tracing.Traces;
import dev.runnel.web.Health;
import dev.runnel.web.RequestMetrics;
import dev.runnel.web.WebServer;
import dev.runnel.web.WebhookEndpoint;
import io.javalin.config.RoutesConfig;
import io.javalin.util.JavalinBindException;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The composition root: builds everything by hand, in the order of dependencies. Resources are
/// closed in reverse order.
final class Wiring implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Wiring.class);
  private static final Duration PLATFORM_PATIENCE = Duration.ofSeconds(2);
  static final Duration AGENT_GRACE = Duration.ofSeconds(5);

  private static final String OLDER_NODE =
      "A Runnel of an older version works on this database, whose runs are on its machine alone."
          + " Stop it before this one starts (in Kubernetes, once: strategy Recreate). From this"
          + " version on, the runs are in the database, and several nodes share them.";

  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final List<String> lines = new ArrayList<>();
  private final Config config;
  private final InstantSource clock;
  private boolean isolatesAgents = true;
  private int port;
  private final RandomGenerator chance = new SecureRandom();

  private final Supplier<Config> reread;
  private final AtomicReference<Config> latest;
  private @Nullable SettingsReload settingsReload;

  /// Audits which settings changed, and who changed them.
  private @Nullable Consumer<AuditEntry.Person> settingsAudit;

  private Wiring(Config config, InstantSource clock, Supplier<Config> reread) {
    this.config = config;
    this.clock = clock;
    this.reread = reread;
    this.latest = new AtomicReference<>(config);
  }

  /// The workers whose behaviour settings change while they work; they keep nothing in memory.
  private record Workers(Dispatcher dispatcher, Courier courier) {}

  /// Starts everything the configuration asks for.
  static Wiring start(Config config, Map<String, String> environment, InstantSource clock) {
    return start(config, environment, clock, () -> config);
  }

  /// @param reread reads the settings again, for [#reload]
  static Wiring start(
      Config config,
      Map<String, String> environment,
      InstantSource clock,
      Supplier<Config> reread) {
    var wiring = new Wiring(config, clock, reread);
    try {
      wiring.build(environment);
      return wiring;
    } catch (RuntimeException e) {
      wiring.close();
      throw e;
    }
  }

  /// Whether agents of the embedded service are isolated; true also without that service.
  boolean isolatesAgents() {
    return isolatesAgents;
  }

  /// The port at which deliveries arrive.
  int port() {
    return port;
  }

  /// One line for each component, on or off, for the operator.
  List<String> lines() {
    return List.copyOf(lines);
  }

  /// Reads the settings again, applies what needs no restart, and audits what changed.
  ///
  /// @param who asked for it
  /// @throws SettingsException if they are not valid; then nothing was changed
  SettingsReload.Result reload(AuditEntry.Person who) {
    var next = reread.get();
    Platforms.require(next.settings());
    var result = requireNonNull(settingsReload).reload(next);
    latest.set(next);
    log.info(
        "settings reloaded by={} applied={} needing_restart={}",
        who.id(),
        result.applied(),
        result.atRestart());
    requireNonNull(settingsAudit).accept(who);
    return result;
  }

  private void build(Map<String, String> environment) {
    Platforms.require(config.settings());
    config.settings().notices().forEach(notice -> log.warn("setting renamed: {}", notice));
    config.settings().policy().unreachable().forEach(problem -> log.warn("policy: {}", problem));
    var data = opened(DataFolder.open(config.data()));
    data.drop(ReloadCommand.ADDRESS);
    PortProbe.problem(config.host(), config.port())
        .ifPresent(
            problem -> {
              throw new SettingsException(problem);
            });
    port = config.port() == 0 ? freePort() : config.port();
    var adminPort = adminPort(port);
    var publicUrl = config.publicUrl().orElse(URI.create("http://localhost:" + port));
    var consoleUrl = config.consoleUrl(adminPort);
    var key = config.agentApiKey().orElseGet(() -> DataFolder.key(data.path()));
    var redactor = Redactor.of(Secrets.of(config.settings())).and(List.of(key));
    RedactingLayout.use(redactor);

    // Runs in parallel, because testing the isolation starts a program, which takes as long as
    // opening a database.
    var isolation =
        CompletableFuture.supplyAsync(
            () -> isolation(environment, data), Thread.ofVirtual().name("isolation")::start);
    var database = database(data);
    var runService = refuseOlderNodes();
    var time = new SteadyClock(database.clock(clock));
    var store = opened(new SqlStore(database, time));
    var metrics = opened(new Metrics(Main.version(), data.path()));
    var platforms =
        opened(
            Platforms.of(
                config.settings(), clock, publicUrl, database::dataSource, metrics::callsTo));
    time.notBefore(store.newestWaiting());
    auditSettings(database, config.settings().byPath(), AuditEntry.Person.RUNNEL);
    var databaseHealth = new DatabaseHealth(store, time);
    var client =
        opened(RunsClient.builder().baseUrl(config.agentApiOr(adminPort)).apiKey(key).build());
    var traces =
        config.traces().map(it -> opened(Traces.otlp(it.endpoint(), it.headers(), Main.version())));
    var metered = metrics.runs(new ClientAgentRuns(client, config.agentApi().isEmpty()));
    var runs = new RedactedRuns(traces.map(it -> it.runs(metered)).orElse(metered), redactor);
    isolatesAgents = config.agentApi().isPresent() || result(isolation).isOn();
    if (isolatesAgents
        && config.agentApi().isEmpty()
        && result(isolation) instanceof AutoCloseable connection) {
      opened(connection);
    }
    var policy = new AtomicReference<>(config.settings().policy());
    var service =
        embeddedService(
            data,
            key,
            adminPort,
            consoleUrl,
            environment,
            isolation,
            redactor,
            new ServiceAudit(new AuditLog(database), clock),
            startLimitsOf(new FamilyStarts(policy::get, store, time)));

    var authentication =
        new ConsoleAuthentication(
            config.consoleToken().orElse(null), new SqlSessions(database, clock), clock);
    var consoleSurface = new ConsoleSurface(authentication);
    List<Surface> all = new ArrayList<>(platforms.surfaces());
    all.add(consoleSurface);
    var hooks = config.settings().hooks();
    var hookSurface =
        new HookSurface(
            hooks,
            platforms.http().newBuilder().addInterceptor(metrics.callsTo(HookSurface.ID)).build(),
            clock);
    all.add(hookSurface);
    var surfaces =
        Surfaces.of(
            all.stream()
                .map(each -> traces.map(it -> it.surface(each)).orElse(each))
                .map(each -> new RedactedSurface(each, redactor))
                .toList());
    var recorder = traces.<TraceRecorder>map(it -> it).orElse(TraceRecorder.NONE);

    var requestMetrics = new RequestMetrics();
    var componentHealthCheck =
        new ComponentHealthCheck(databaseHealth, runs, platforms, requestMetrics, clock);
    var recovery = new OutageRecovery(store, runs, surfaces);
    Function<Config, Workers> working =
        now ->
            new Workers(
                new Dispatcher(
                    store,
                    runs,
                    surfaces,
                    now.settings().profiles(),
                    now.settings().defaults(),
                    now.settings().policy(),
                    componentHealthCheck,
                    recovery,
                    metrics.runChanges(),
                    now.dispatch().withTraces(recorder),
                    chance),
                new Courier(
                    store,
                    surfaces,
                    chance,
                    now.reminders(),
                    recovery,
                    new FileDelivery(runs, now.files())));
    var workers = new AtomicReference<>(working.apply(config));
    var reloading =
        new SettingsReload(
            config,
            (now, withHooks) -> {
              RedactingLayout.use(now.log());
              workers.set(working.apply(now));
              policy.set(now.settings().policy());
              if (withHooks) {
                hookSurface.replace(now.settings().hooks());
              }
            });
    settingsReload = reloading;
    settingsAudit = who -> auditSettings(database, reloading.current(), who);
    var watcher = new Watcher(store, recovery.watching(runs), metrics.runChanges());
    var scheduleStarter = new ScheduleStarter(store);
    var scheduler =
        new ConversationWorkers(
            store,
            time,
            new ConversationWorkers.Steps(
                (conversation, now) ->
                    requireNonNull(workers.get()).dispatcher().step(conversation, now),
                (conversation, now) ->
                    requireNonNull(workers.get()).courier().step(conversation, now),
                componentHealthCheck.watching(watcher::step),
                new MissedDeliveryPoller(store, surfaces)::step,
                now -> {
                  scheduleStarter.step(now);
                  recovery.step(now);
                }),
            config.retention());

    var endpoint = new WebhookEndpoint(store, surfaces, clock, requestMetrics, recorder);
    var agent = agent(service);
    var numbers =
        new Numbers(
            service.<RunStatistics>map(ServiceStatistics::new).orElse(RunStatistics.NONE),
            new StartSums(database),
            store,
            policy::get,
            RunRowView::source,
            clock);
    var console =
        new Console(
            store,
            runs,
            new RedactedCatalog(
                config.agentApi().isEmpty()
                    ? new ClientRunCatalog(client, agent)
                    : new ClientRunCatalog(client),
                redactor),
            service.<Transcripts>map(ServiceTranscripts::new).orElse(Transcripts.NONE),
            authentication,
            consoleSurface,
            new About(agent, platforms.forConsole()),
            new AuditLog(database),
            numbers,
            new SignInProviders(
                config.signIn().stream().map(it -> it.open(platforms.http(), clock)).toList(),
                consoleUrl,
                new PlatformNames(surfaces, policy::get, clock)::of),
            new ConsoleOperation(
                new ConsoleOperation.Parts(
                    componentHealthCheck,
                    platforms,
                    requestMetrics,
                    store,
                    databaseHealth,
                    service,
                    policy::get,
                    () ->
                        new ConsoleOperation.InForce(
                            config, requireNonNull(latest.get()), reloading.current()),
                    redactor),
                clock),
            policy::get,
            redactor::redact,
            "https".equals(consoleUrl.getScheme()),
            clock);
    var health =
        new Health(
            () ->
                endpoint.problem()
                    .or(scheduler::problem)
                    .or(databaseHealth::problem)
                    .or(platforms::problem)
                    .or(() -> runService.filter(ExclusiveUse::isLost).map(_ -> OLDER_NODE))
                    .or(recovery::problem),
            metrics::scrape);
    metrics.deliveries(requestMetrics);
    metrics.queues(databaseHealth::gauges);
    metrics.connections("bot", database);
    platforms.connections().forEach(metrics::connection);
    service.ifPresent(metrics::service);
    var reloadRoute = new ReloadRoute(new SqlSessions(database, clock), clock, this::reload);
    Consumer<RoutesConfig> outside =
        routes -> {
          endpoint.routes(routes, KnownPlatforms.paths(), id -> !id.equals(ConsoleSurface.ID));
          PlatformPages.routes(routes, platforms.pages());
          health.probes(routes);
        };
    Consumer<RoutesConfig> inside =
        routes -> {
          endpoint.routes(routes, KnownPlatforms.paths(), ConsoleSurface.ID::equals);
          health.metrics(routes);
          reloadRoute.routes(routes);
          console.routes(routes);
          service.ifPresent(embedded -> embedded.routes(routes));
        };
    // Whoever sees that it is ready finds them.
    data.keep(ConsoleLink.ADDRESS, consoleUrl.toString());
    data.keep(ReloadCommand.ADDRESS, config.here(adminPort).toString());
    if (config.adminPort().isEmpty()) {
      serve(config.host(), port, outside.andThen(inside));
    } else {
      serve(config.host(), port, outside);
      serve(config.adminHost(), adminPort, inside.andThen(health::probes));
    }
    opened(console);
    opened(scheduler);
    opened(endpoint);
    startAll(platforms);
    opened(platforms.connect(endpoint, chance));
    scheduler.start();
    Thread.ofVirtual().name("numbers").start(() -> readAhead(numbers));

    lines.add(line("Console", consoleUrl + "/"));
    lines.add(line("Sign in", consoleUrl + authentication.newLink()));
    lines.add(line("", "The link works once, for an hour. ./runnel console prints another."));
    lines.add(line("Agent", agentLine(agent)));
    service.ifPresent(embedded -> lines.add(line("Isolation", embedded.isolation())));
    service.flatMap(AgentRunService::network).ifPresent(it -> lines.add(line("Network", it)));
    lines.addAll(platforms.lines());
    if (!hooks.isEmpty()) {
      lines.add(
          line(
              "Hooks",
              hooks.stream()
                  .map(hook -> HookSurface.PATH + hook.name())
                  .collect(Collectors.joining(", "))));
    }
    lines.add(line("Data", data.path().toString()));
    log.info("runnel started port={} admin_port={}", port, adminPort);
  }

  private static void readAhead(Numbers numbers) {
    try {
      numbers.readAhead();
    } catch (DatabaseException e) {
      log.info("numbers not read ahead, the first page reads them why={}", e.inWords());
    }
  }

  /// Audits which settings changed since they were last read.
  private void auditSettings(Database database, Map<String, String> byPath, AuditEntry.Person who) {
    try {
      new SettingsSeen(database).store(byPath, who, clock.instant());
    } catch (DatabaseException e) {
      log.warn("changed settings not audited error={}", e.toString());
    }
  }

  /// Starts the platforms. A platform that does not respond does not delay the start; it is asked
  /// again later.
  private static void startAll(Platforms platforms) {
    var starting = Thread.ofVirtual().name("platforms").start(platforms::start);
    try {
      if (!starting.join(PLATFORM_PATIENCE)) {
        log.warn("a platform does not respond, its start continues in the background");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static StartLimits startLimitsOf(FamilyStarts families) {
    return new StartLimits() {
      @Override
      public Optional<String> frozen() {
        return families.frozen();
      }

      @Override
      public Optional<String> refuse(String delivery, String run) {
        return families.refuse(new DeliveryId(delivery), run);
      }

      @Override
      public void used(String run, Duration worked, BigDecimal dollars) {
        families.used(run, worked, dollars.movePointRight(6).longValue());
      }
    };
  }

  private Optional<AgentRunService> embeddedService(
      DataFolder data,
      String key,
      int port,
      URI publicUrl,
      Map<String, String> environment,
      CompletableFuture<Isolation> isolation,
      Redactor redactor,
      ServiceAudit serviceAudit,
      StartLimits startLimits) {
    if (config.agentApi().isPresent()) {
      return Optional.empty();
    }
    var node = config.databaseUrl().isPresent() ? node(data) : NodeIdentity.ALONE;
    var database = opened(RunDatabase.open(config, node));
    var service =
        opened(
            AgentRunService.open(
                database,
                new ServiceSettings(
                    data.file("workspaces"),
                    key,
                    () -> publicUrl,
                    config.agentCommand(),
                    config.settings().withoutSecrets(environment),
                    config.agentSlots(),
                    AGENT_GRACE,
                    config.settings().environments(),
                    config.limits(),
                    result(isolation),
                    config.agentAccess(),
                    config.settings().factories(),
                    () -> config.agentApiOr(port),
                    redactor,
                    KnownPlatforms.sources(),
                    config.egress(),
                    config.permissionRules()),
                new NodeSettings(
                    node, config.agentLease(), config.agentSlotLimits(), config.agentSnapshots()),
                serviceAudit,
                startLimits,
                clock));
    opened(
        RunCleanup.start(
            new RunErasure(database),
            run -> DataFolder.deleteOfRun(data.path(), config.agentSnapshots(), run),
            new RunCleanup.Retention(config.retention().runs(), config.retention().transcripts()),
            clock));
    return Optional.of(service);
  }

  private static NodeIdentity node(DataFolder data) {
    String host;
    try {
      host = InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException _) {
      host = "a host without a name";
    }
    var name = data.node();
    return new NodeIdentity(name, host, name);
  }

  /// @throws SettingsException if the machine does not support the requested isolation
  private static Isolation result(CompletableFuture<Isolation> isolation) {
    try {
      return isolation.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  /// @throws SettingsException if the machine does not support the requested isolation, or has none
  ///   while others can start agents and nobody decided that they run without it
  private Isolation isolation(Map<String, String> environment, DataFolder data) {
    try {
      if (config.isolation().equals(Isolations.KUBERNETES)) {
        return KubernetesChoice.open(config, environment, data.path(), AGENT_GRACE);
      }
      var chosen =
          Isolations.choose(
              config.isolation(), config.machine(environment, data.path()), config.limitsEgress());
      if (!chosen.isOn() && config.isolation().equals("auto") && isOpenToOthers()) {
        throw new IllegalArgumentException(
            "is auto, and bubblewrap does not work here, so agents would run without isolation:"
                + " whoever can start one could read Runnel's secrets. Install bubblewrap (package"
                + " bubblewrap; this user must be allowed to create user namespaces), or set it to"
                + " container, or set it to none to accept that.");
      }
      return chosen;
    } catch (IllegalArgumentException e) {
      throw new SettingsException(
          "%s (%s) %s"
              .formatted(
                  RunnelSettings.AGENTS_ISOLATION,
                  RunnelSettings.AGENTS_ISOLATION.path(),
                  e.getMessage()));
    }
  }

  private boolean isOpenToOthers() {
    return Platforms.isAnyOn(config.settings()) || !config.settings().hooks().isEmpty();
  }

  /// Ensures that no node of an older version uses the database: its embedded service has its runs
  /// in a file, so it would report the runs of this one as failed, and this one those of it.
  private Optional<ExclusiveUse> refuseOlderNodes() {
    if (config.agentApi().isPresent() || config.databaseUrl().isEmpty()) {
      return Optional.empty();
    }
    var use = ExclusiveUse.share(config.databaseUrl().get(), "runnel embedded run service");
    return Optional.of(opened(use.orElseThrow(() -> new SettingsException(OLDER_NODE))));
  }

  private Database database(DataFolder data) {
    return opened(
        config
            .databaseUrl()
            .map(Wiring::postgres)
            .orElseGet(() -> Database.sqlite(data.file("runnel.db"))));
  }

  private static Database postgres(String url) {
    try {
      return Database.postgres(url);
    } catch (DatabaseException e) {
      throw new SettingsException(
          "The database cannot be reached. Check RUNNEL_DATABASE_URL, and that the server is up.");
    }
  }

  /// Those of deliveries; the console's are decided by its session, which is a row.
  private static Set<String> promptPaths() {
    return KnownPlatforms.paths().entrySet().stream()
        .filter(it -> !it.getValue().equals(ConsoleSurface.ID))
        .map(Map.Entry::getKey)
        .collect(Collectors.toUnmodifiableSet());
  }

  private void serve(String host, int port, Consumer<RoutesConfig> routes) {
    try {
      opened(WebServer.start(host, port, AgentRunService.MAX_BYTES, promptPaths(), routes));
    } catch (JavalinBindException e) {
      throw new SettingsException(
          PortProbe.problem(host, port)
              .orElse("Port %d was taken just now. Start Runnel again.".formatted(port)));
    }
  }

  private String agent(Optional<AgentRunService> service) {
    return service
        .map(AgentRunService::agentName)
        .or(() -> config.agentApi().map(URI::getHost))
        .orElse("");
  }

  private String agentLine(String agent) {
    if (config.agentApi().isPresent()) {
      return config.agentApi().get().toString();
    }
    return switch (agent) {
      case "command" -> "your command, on this machine";
      case "rehearsal" ->
          "the demo agent, which only repeats your request. For real work install claude,"
              + " codex, gemini or opencode, or set RUNNEL_AGENT_COMMAND";
      default -> agent + ", on this machine";
    };
  }

  static String line(String name, String text) {
    return "%-9s %s".formatted(name, text);
  }

  /// The port of console, API and metrics: a port of their own, or that of everything.
  private int adminPort(int port) {
    if (config.adminPort().isEmpty()) {
      return port;
    }
    int adminPort = config.adminPort().get();
    if (PortProbe.problem(config.adminHost(), adminPort).isPresent()) {
      throw new SettingsException(
          "Port %d on %s is not free. Stop what listens there, or choose another port with RUNNEL_ADMIN_PORT."
              .formatted(adminPort, config.adminHost()));
    }
    return adminPort;
  }

  private int freePort() {
    try (var socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(config.host(), 0));
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new SettingsException("No port is free on %s: %s".formatted(config.host(), e));
    }
  }

  private <T extends AutoCloseable> T opened(T resource) {
    open.push(resource);
    return resource;
  }

  /// Waits for running steps to finish, then closes everything, the last opened first.
  @Override
  public synchronized void close() {
    while (!open.isEmpty()) {
      var resource = open.pop();
      try {
        resource.close();
      } catch (Exception e) {
        log.error("not closed resource={}", resource.getClass().getSimpleName(), e);
      }
    }
  }
}
