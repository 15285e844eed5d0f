package dev.runnel.app.server;

import dev.runnel.app.data.DataFolder;
import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.KnownPlatforms;
import dev.runnel.app.settings.SettingsException;
import dev.runnel.client.RunsClient;
import dev.runnel.console.access.ConsoleSurface;
import dev.runnel.core.dispatch.ChildRunStarts;
import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.redact.RedactedRuns;
import dev.runnel.database.AdvisoryLock;
import dev.runnel.memory.MemoryBudget;
import dev.runnel.metrics.Metrics;
import dev.runnel.runs.ClientAgentRuns;
import dev.runnel.service.AgentRunService;
import dev.runnel.store.SqlSessions;
import dev.runnel.store.audit.AuditLog;
import dev.runnel.surface.hook.HookSurface;
import dev.runnel.surface.kit.AnswerMemory;
import dev.runnel.threads.SupervisedThread;
import dev.runnel.tracing.Traces;
import dev.runnel.web.BufferedRequestHandler;
import dev.runnel.web.Health;
import dev.runnel.web.RequestThreadPool;
import dev.runnel.web.WebLimits;
import dev.runnel.web.WebServer;
import io.javalin.config.RoutesConfig;
import io.javalin.util.JavalinBindException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The running server. Everything is built here by hand, in the order of dependencies.
public final class RunnelServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RunnelServer.class);
  private static final Duration PLATFORM_START_TIMEOUT = Duration.ofSeconds(2);
  private static final long MAX_DELIVERY_BYTES = 5 * 1024 * 1024;
  private static final long MAX_FORM_BYTES = 1024 * 1024;
  private static final Set<String> DELIVERY_PATHS = pathsOfPlatforms().keySet();

  /// How long agents may take to end.
  public static final Duration AGENT_GRACE = Duration.ofSeconds(5);

  private final Resources resources;
  private final ServerContext context;
  private final LiveSettings settings;
  private final Optional<AgentRunService> service;
  private final boolean isolatesAgents;
  private final List<String> lines;

  private RunnelServer(
      Resources resources,
      ServerContext context,
      LiveSettings settings,
      Optional<AgentRunService> service,
      boolean isolatesAgents,
      List<String> lines) {
    this.resources = resources;
    this.context = context;
    this.settings = settings;
    this.service = service;
    this.isolatesAgents = isolatesAgents;
    this.lines = List.copyOf(lines);
  }

  /// Starts everything the configuration asks for.
  ///
  /// @throws SettingsException if it cannot start with these settings
  public static RunnelServer start(
      Config config, Map<String, String> environment, InstantSource clock) {
    return start(config, environment, clock, () -> config);
  }

  /// @param reread reads the settings again, for [#reload]
  public static RunnelServer start(
      Config config,
      Map<String, String> environment,
      InstantSource clock,
      Supplier<Config> reread) {
    var resources = new Resources();
    try {
      return build(config, environment, clock, reread, resources);
    } catch (RuntimeException e) {
      resources.close();
      throw e;
    }
  }

  /// Whether agents of the embedded service are isolated; true also without that service.
  public boolean isolatesAgents() {
    return isolatesAgents;
  }

  /// The port at which deliveries arrive.
  public int port() {
    return context.ports().deliveries();
  }

  /// One line for each component, on or off, for the operator.
  public List<String> lines() {
    return lines;
  }

  /// Reads the settings again, applies what needs no restart, and audits what changed.
  ///
  /// @param who requested it
  /// @throws SettingsException if they are not valid; then nothing was changed
  public SettingsReload.Result reload(AuditEntry.Person who) {
    return settings.reload(who);
  }

  /// Gives agents the drain time, in which people can still stop them and Runnel posts their
  /// results. Then waits for running steps to finish, and closes everything, the last opened first.
  @Override
  public void close() {
    service.ifPresent(AgentRunService::drain);
    resources.close();
  }

  private static RunnelServer build(
      Config config,
      Map<String, String> environment,
      InstantSource clock,
      Supplier<Config> reread,
      Resources resources) {
    Platforms.require(config.settings());
    config.settings().notices().forEach(notice -> log.warn("settings: {}", notice));
    config.settings().policy().unreachable().forEach(problem -> log.warn("policy: {}", problem));
    var context = ServerContext.open(config, clock, resources);
    var embedded = EmbeddedService.begin(context, environment);
    var database = Storage.open(context);
    var olderNodes = embedded.flatMap(EmbeddedService::refuseOlderNodes);
    var threads = new RequestThreadPool();
    var storage = Storage.of(database, context, threads.responses());
    var metrics = context.opened(new Metrics(Version.current(), context.data().path()));
    var answers = new AnswerMemory(context.memory().share(MemoryBudget.Kind.STEPS));
    var platforms =
        context.opened(
            Platforms.of(
                config.settings(),
                clock,
                context.publicUrl(),
                database::dataSource,
                answers,
                metrics::callsTo));
    var settings = new LiveSettings(context, reread, database);
    settings.auditStart();

    var client =
        context.opened(
            RunsClient.builder()
                .baseUrl(config.agentApiOr(context.ports().admin()))
                .apiKey(context.apiKey())
                .http(config.proxy()::apply)
                .build());
    var traces =
        config
            .traces()
            .map(it -> context.opened(Traces.otlp(it.endpoint(), it.headers(), Version.current())));
    var metered = metrics.runs(new ClientAgentRuns(client, embedded.isPresent()));
    var runs =
        new RedactedRuns(traces.map(it -> it.runs(metered)).orElse(metered), context.redactor());
    var service =
        embedded.map(
            it ->
                it.open(
                    new ServiceAudit(new AuditLog(database), clock),
                    new ChildRunStarts(settings::policy, storage.store(), storage.time()),
                    () -> settings.policy().pricePerMinute()));

    var authentication = ConsoleParts.authentication(context, storage);
    var surface = new ConsoleSurface(authentication);
    var bot =
        Bot.of(context, storage, settings, platforms, answers, surface, runs, metrics, traces);
    var console =
        ConsoleParts.of(
            context,
            storage,
            settings,
            platforms,
            bot,
            authentication,
            surface,
            client,
            runs,
            service);

    measure(metrics, context, storage, platforms, bot, service);
    var isolatesAgents = embedded.map(it -> it.isolation().isOn()).orElse(true);
    var server =
        new RunnelServer(
            resources,
            context,
            settings,
            service,
            isolatesAgents,
            lines(context, platforms, console.agent(), authentication.newLink(), service));
    server.listen(
        threads,
        storage,
        platforms,
        bot,
        console,
        health(storage, platforms, bot, olderNodes, metrics));
    context.opened(console.console());
    context.opened(bot.workers());
    context.opened(bot.endpoint());
    startAll(platforms);
    context.opened(platforms.connect(bot.endpoint(), new SecureRandom()));
    bot.workers().start();
    SupervisedThread.virtual("numbers", console::readAhead, _ -> {});
    log.info("memory {}", MemoryLine.of(context.memory()));
    log.info(
        "runnel started port={} admin_port={}",
        context.ports().deliveries(),
        context.ports().admin());
    return server;
  }

  private static void measure(
      Metrics metrics,
      ServerContext context,
      Storage storage,
      Platforms platforms,
      Bot bot,
      Optional<AgentRunService> service) {
    metrics.memory(context.memory());
    metrics.deliveries(bot.requestMetrics());
    metrics.queues(storage.health()::gauges);
    metrics.holds(bot.surfaces().byId().keySet(), storage.health()::held);
    metrics.connections("bot", storage.database());
    platforms.connections().forEach(metrics::connection);
    service.ifPresent(metrics::service);
  }

  private static Health health(
      Storage storage,
      Platforms platforms,
      Bot bot,
      Optional<AdvisoryLock> olderNodes,
      Metrics metrics) {
    return new Health(
        () ->
            bot.endpoint()
                .problem()
                .or(bot.workers()::problem)
                .or(storage.health()::problem)
                .or(
                    () ->
                        olderNodes
                            .filter(AdvisoryLock::isLost)
                            .map(_ -> EmbeddedService.OLDER_NODE)),
        () -> platforms.problem().or(bot.recovery()::problem),
        metrics::scrape);
  }

  /// Serves deliveries, console and API, at one port or at two.
  private void listen(
      RequestThreadPool threads,
      Storage storage,
      Platforms platforms,
      Bot bot,
      ConsoleParts console,
      Health health) {
    var clock = context.clock();
    var reloadRoute =
        new ReloadRoute(new SqlSessions(storage.database(), clock), clock, settings::reload);
    Consumer<RoutesConfig> outside =
        routes -> {
          bot.endpoint()
              .routes(routes, KnownPlatforms.paths(), id -> !id.equals(ConsoleSurface.ID));
          PlatformPages.routes(routes, platforms.pages());
          health.probes(routes);
        };
    Consumer<RoutesConfig> inside =
        routes -> {
          bot.endpoint().routes(routes, KnownPlatforms.paths(), ConsoleSurface.ID::equals);
          health.metrics(routes);
          reloadRoute.routes(routes);
          console.console().routes(routes);
          service.ifPresent(embedded -> embedded.routes(routes));
        };
    var config = context.config();
    var ports = context.ports();
    var direct = bot.endpoint().direct(pathsOfPlatforms());
    var limits = WebLimits.of(context.memory(), config.trustedProxies());
    // Programs that see that it is ready read them.
    context.data().write(DataFolder.CONSOLE_ADDRESS, context.consoleUrl().toString());
    context
        .data()
        .write(DataFolder.SERVER_ADDRESS, config.addresses().here(ports.admin()).toString());
    if (config.addresses().adminPort().isEmpty()) {
      serve(
          config.addresses().host(),
          ports.deliveries(),
          limits,
          threads,
          direct,
          outside.andThen(inside));
    } else {
      serve(config.addresses().host(), ports.deliveries(), limits, threads, direct, outside);
      serve(
          config.addresses().adminHost(),
          ports.admin(),
          limits,
          new RequestThreadPool(),
          Map.of(),
          inside.andThen(health::probes));
    }
  }

  private void serve(
      String host,
      int port,
      WebLimits limits,
      RequestThreadPool threads,
      Map<String, BufferedRequestHandler> direct,
      Consumer<RoutesConfig> routes) {
    try {
      context.opened(
          WebServer.start(
              host,
              port,
              limits,
              RunnelServer::largestBody,
              threads,
              direct,
              routes.andThen(DatabaseOutage::routes)));
    } catch (JavalinBindException e) {
      throw new SettingsException(
          PortProbe.problem(host, port)
              .orElse("Port %d was taken just now. Start Runnel again.".formatted(port)));
    }
  }

  /// What a platform sends, or the service takes at most; its routes allow less.
  private static long largestBody(String path) {
    return DELIVERY_PATHS.contains(path) || path.startsWith(HookSurface.PATH)
        ? MAX_DELIVERY_BYTES
        : path.startsWith("/api/") ? AgentRunService.MAX_BYTES : MAX_FORM_BYTES;
  }

  /// Those of deliveries; the console's are decided by its session, which is a row.
  private static Map<String, SurfaceId> pathsOfPlatforms() {
    return KnownPlatforms.paths().entrySet().stream()
        .filter(it -> !it.getValue().equals(ConsoleSurface.ID))
        .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /// Starts the platforms. A platform that does not respond does not delay the start; it is asked
  /// again later.
  private static void startAll(Platforms platforms) {
    var starting = SupervisedThread.virtual("platforms", platforms::start, _ -> {});
    try {
      if (!starting.join(PLATFORM_START_TIMEOUT)) {
        log.warn("platform does not respond, its start continues in the background");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static List<String> lines(
      ServerContext context,
      Platforms platforms,
      String agent,
      String signInLink,
      Optional<AgentRunService> service) {
    var lines = new ArrayList<String>();
    lines.add(StatusLine.of("Console", context.consoleUrl() + "/"));
    lines.add(StatusLine.of("Sign in", context.consoleUrl() + signInLink));
    lines.add(
        StatusLine.of("", "The link works once, for an hour. ./runnel console prints another."));
    lines.add(StatusLine.of("Agent", agentLine(context.config(), agent)));
    service.ifPresent(it -> lines.add(StatusLine.of("Isolation", it.isolation())));
    service
        .flatMap(AgentRunService::network)
        .ifPresent(it -> lines.add(StatusLine.of("Network", it)));
    lines.addAll(platforms.lines());
    var hooks = context.config().settings().hooks();
    if (!hooks.isEmpty()) {
      lines.add(
          StatusLine.of(
              "Hooks",
              hooks.stream()
                  .map(hook -> HookSurface.PATH + hook.name())
                  .collect(Collectors.joining(", "))));
    }
    lines.add(StatusLine.of("Data", context.data().path().toString()));
    return lines;
  }

  /// What works on runs, for the operator.
  ///
  /// @param agent its name
  public static String agentLine(Config config, String agent) {
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
}
