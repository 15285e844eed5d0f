package dev.runnel.app.settings;

import dev.runnel.core.decide.PublicWork;
import dev.runnel.core.decide.PullRequestFollowUps;
import dev.runnel.core.deliver.FileLimits;
import dev.runnel.core.deliver.Reminders;
import dev.runnel.core.dispatch.DispatchOptions;
import dev.runnel.core.dispatch.SameIssueAction;
import dev.runnel.core.port.TraceRecorder;
import dev.runnel.service.egress.EgressSetting;
import dev.runnel.service.isolation.Machine;
import dev.runnel.service.isolation.Quotas;
import dev.runnel.service.run.AgentAccess;
import dev.runnel.service.run.limit.CostLimit;
import dev.runnel.service.run.limit.Limits;
import dev.runnel.service.store.SlotLimits;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.PermissionRules;
import dev.runnel.service.workspace.Snapshots;
import dev.runnel.store.Retention;
import dev.runnel.surface.Setting;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The settings, checked and typed.
///
/// @param port `0` for any free one
/// @param adminPort the port of console, API and metrics; empty for the same
/// @param adminHost the address that the admin port listens on
/// @param adminUrl the address of the console on the admin port, as people reach it
/// @param databaseUrl empty for the embedded database in the data folder
/// @param agentApi empty for the embedded service
/// @param agentSlotLimits how many agents run at once on all nodes together, and of one person
/// @param agentLease how long other nodes wait for this one before they take it for lost
/// @param agentSnapshots where workspaces are kept for other nodes; empty to keep none
/// @param isolation the requested isolation, which the machine may not support
/// @param egress the hosts that isolated agents reach, where their environment has none of its own
/// @param permissionRules the tools for which agents ask a person, likewise
public record Config(
    String host,
    int port,
    Optional<Integer> adminPort,
    String adminHost,
    Optional<URI> adminUrl,
    Path data,
    Optional<String> databaseUrl,
    Optional<URI> publicUrl,
    Optional<URI> agentApi,
    Optional<String> agentApiKey,
    Optional<String> agentCommand,
    int agentSlots,
    SlotLimits agentSlotLimits,
    Duration agentLease,
    Optional<Snapshots> agentSnapshots,
    String isolation,
    EgressSetting egress,
    PermissionRules permissionRules,
    Limits limits,
    AgentAccess agentAccess,
    Optional<String> consoleToken,
    List<SignInSettings> signIn,
    Reminders reminders,
    DispatchOptions dispatch,
    FileLimits files,
    Retention retention,
    LogSettings log,
    Optional<TraceSettings> traces,
    Settings settings) {
  private static final int MAX_FOLLOW_UPS = 20;
  private static final int MAX_SLOTS = 1000;
  private static final long MAX_FILE = 20L << 20;
  private static final int MAX_PORT = 65_535;
  private static final Duration MIN_LEASE = Duration.ofSeconds(2);
  private static final long DEFAULT_MAX_SNAPSHOT = 256L * 1024 * 1024;
  private static final Duration SNAPSHOT_TIMEOUT = Duration.ofMinutes(2);
  private static final Duration MAX_LEASE = Duration.ofHours(1);

  /// An absolute path in a shell command.
  private static final Pattern WORD = Pattern.compile("(?<![^\\s'\"=])/[^\\s'\";|&<>()$`*?]+");

  private static final Pattern KEY = Pattern.compile("[!-~]+");
  private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "::1", "[::1]");
  private static final Set<String> EVERYWHERE = Set.of("0.0.0.0", "::", "[::]");

  public static Config of(Settings settings) {
    settings.values().keySet().forEach(each -> checkLength(settings, each));
    settings.values().keySet().forEach(each -> SecretAddress.check(settings, each));
    checkHomeFiles(settings);
    var _ = OutgoingProxy.of(settings);
    var agentApi =
        settings.get(RunnelSettings.AGENT_API_URL).map(url(settings, RunnelSettings.AGENT_API_URL));
    if (agentApi.isPresent() && settings.get(RunnelSettings.AGENT_API_KEY).isEmpty()) {
      throw settings.wrong(
          "RUNNEL_AGENT_API_URL is set, and RUNNEL_AGENT_API_KEY is missing. Set the key of that"
              + " service, or leave both out to use the embedded one.");
    }
    if (settings.get(RunnelSettings.AGENT_API_KEY).filter(key -> !isKey(key)).isPresent()) {
      throw settings.wrong(
          "RUNNEL_AGENT_API_KEY is not a key: it holds a space, a line break or a letter that no"
              + " key has.");
    }
    var database = settings.get(RunnelSettings.DATABASE_URL);
    if (database.isPresent() && !database.get().startsWith("jdbc:postgresql:")) {
      throw settings.wrong(
          "RUNNEL_DATABASE_URL must begin with jdbc:postgresql: . Leave it out to use the embedded"
              + " database.");
    }
    return new Config(
        settings.get(RunnelSettings.HOST).orElse("127.0.0.1"),
        number(settings, RunnelSettings.PORT, 8080, 0, MAX_PORT),
        adminPort(settings),
        settings.get(RunnelSettings.ADMIN_HOST).orElse("127.0.0.1"),
        settings.get(RunnelSettings.ADMIN_URL).map(url(settings, RunnelSettings.ADMIN_URL)),
        Path.of(settings.get(RunnelSettings.DATA).orElse("data")).toAbsolutePath().normalize(),
        database,
        settings.get(RunnelSettings.PUBLIC_URL).map(url(settings, RunnelSettings.PUBLIC_URL)),
        agentApi,
        settings.get(RunnelSettings.AGENT_API_KEY),
        settings.get(RunnelSettings.AGENT_COMMAND),
        number(settings, RunnelSettings.AGENT_SLOTS, 4, 1, MAX_SLOTS),
        new SlotLimits(slotsOfAll(settings), slotsPerPerson(settings)),
        lease(settings),
        snapshots(settings),
        settings.get(RunnelSettings.AGENTS_ISOLATION).orElse("auto"),
        egress(settings),
        permissionRules(settings),
        limits(settings),
        access(settings),
        settings.get(RunnelSettings.CONSOLE_TOKEN),
        SignInSettings.of(settings),
        DurationsAndSizes.reminders(settings, RunnelSettings.REMINDERS),
        dispatch(settings),
        files(settings),
        retention(settings),
        LogSettings.of(settings),
        TraceSettings.of(settings),
        settings);
  }

  private static DispatchOptions dispatch(Settings settings) {
    var setting = RunnelSettings.SAME_ISSUE;
    var text = settings.get(setting).orElse("ask").toUpperCase(Locale.ROOT);
    return new DispatchOptions(
        Stream.of(SameIssueAction.values())
            .filter(each -> each.name().equals(text))
            .findFirst()
            .orElseThrow(() -> settings.wrong(setting, "is ask, join or start")),
        new PullRequestFollowUps(
            number(settings, RunnelSettings.PULL_REQUEST_FOLLOW_UPS, 3, 0, MAX_FOLLOW_UPS)),
        settings.get(RunnelSettings.AGENT_API_URL).isPresent()
            ? List.of()
            : settings.environments().all().stream().map(Environment::uid).toList(),
        namesRequester(settings),
        publicWork(settings),
        TraceRecorder.NONE);
  }

  private static PublicWork publicWork(Settings settings) {
    var setting = RunnelSettings.PUBLIC_ENVIRONMENTS;
    var names = Set.copyOf(settings.list(setting));
    if (settings.get(RunnelSettings.AGENT_API_URL).isPresent()) {
      return new PublicWork(names, Optional.empty());
    }
    var environments = settings.environments();
    var ids = new HashSet<String>();
    for (var name : names) {
      var environment =
          environments
              .find(name)
              .orElseThrow(
                  () ->
                      settings.wrong(
                          "%s: %s".formatted(setting, environments.notFoundMessage(name))));
      // Requests may name either.
      ids.addAll(List.of(environment.uid(), environment.name()));
    }
    return new PublicWork(ids, environments.defaultEnvironment().map(Environment::uid));
  }

  private static boolean namesRequester(Settings settings) {
    var setting = RunnelSettings.NAME_REQUESTER;
    return switch (settings.get(setting).orElse("on")) {
      // YAML reads `on` as true.
      case "on", "true" -> true;
      case Setting.OFF -> false;
      default -> throw settings.wrong(setting, "is on or off");
    };
  }

  private static FileLimits files(Settings settings) {
    var defaults = FileLimits.DEFAULT;
    var bytes = DurationsAndSizes.size(settings, RunnelSettings.FILES_SIZE, defaults.bytes());
    if (bytes > MAX_FILE) {
      throw settings.wrong(RunnelSettings.FILES_SIZE, "must be at most 20MB");
    }
    var types =
        settings.list(RunnelSettings.FILES_TYPES).stream()
            .map(each -> each.toLowerCase(Locale.ROOT))
            .filter(each -> !each.equals(Setting.OFF))
            .collect(Collectors.toUnmodifiableSet());
    return new FileLimits(
        settings.get(RunnelSettings.FILES_TYPES).isPresent() ? types : defaults.extensions(),
        bytes,
        number(settings, RunnelSettings.FILES_COUNT, defaults.count(), 0, 20));
  }

  private static OptionalInt slotsOfAll(Settings settings) {
    return settings.get(RunnelSettings.AGENT_SLOTS_OF_ALL).isEmpty()
        ? OptionalInt.empty()
        : OptionalInt.of(number(settings, RunnelSettings.AGENT_SLOTS_OF_ALL, 1, 1, MAX_SLOTS));
  }

  private static Optional<Snapshots> snapshots(Settings settings) {
    return settings
        .get(RunnelSettings.AGENT_SNAPSHOTS)
        .filter(text -> !text.equals(Setting.OFF))
        .map(
            text ->
                new Snapshots(
                    Path.of(text).toAbsolutePath().normalize(),
                    DurationsAndSizes.size(
                        settings, RunnelSettings.AGENT_SNAPSHOTS_LIMIT, DEFAULT_MAX_SNAPSHOT),
                    SNAPSHOT_TIMEOUT));
  }

  private static OptionalInt slotsPerPerson(Settings settings) {
    var setting = RunnelSettings.AGENT_SLOTS_PER_PERSON;
    if (settings.isOff(setting)) {
      return SlotLimits.NONE.perPerson();
    }
    return settings.get(setting).isEmpty()
        ? SlotLimits.DEFAULT.perPerson()
        : OptionalInt.of(number(settings, setting, 1, 1, MAX_SLOTS));
  }

  private static Duration lease(Settings settings) {
    var lease = DurationsAndSizes.time(settings, RunnelSettings.AGENT_LEASE, Duration.ofMinutes(1));
    if (lease.compareTo(MIN_LEASE) < 0 || lease.compareTo(MAX_LEASE) > 0) {
      throw settings.wrong(RunnelSettings.AGENT_LEASE, "must be a time from 2s to 1h");
    }
    return lease;
  }

  private static Optional<Integer> adminPort(Settings settings) {
    if (settings.get(RunnelSettings.ADMIN_PORT).isEmpty()) {
      for (var setting : List.of(RunnelSettings.ADMIN_HOST, RunnelSettings.ADMIN_URL)) {
        if (settings.get(setting).isPresent()) {
          throw settings.wrong(
              "%s is set, and RUNNEL_ADMIN_PORT is missing. Set the port, or leave both out."
                  .formatted(setting));
        }
      }
      return Optional.empty();
    }
    var adminPort = number(settings, RunnelSettings.ADMIN_PORT, 0, 1, MAX_PORT);
    if (adminPort == number(settings, RunnelSettings.PORT, 8080, 0, MAX_PORT)) {
      throw settings.wrong(
          "RUNNEL_ADMIN_PORT is %d, which is also the port of everything else. Choose another one,"
                  .formatted(adminPort)
              + " or leave it out to use one port for all.");
    }
    return Optional.of(adminPort);
  }

  /// Blank list entries are reported by the platform, which can name them.
  private static void checkLength(Settings settings, Setting setting) {
    if (setting.kind() == Setting.Kind.CHOSEN_SECRET
        && !settings.list(setting).stream().allMatch(Setting::isLong)) {
      throw settings.wrong(setting, Setting.TOO_SHORT);
    }
  }

  /// Whether an HTTP header can carry it.
  public static boolean isKey(String text) {
    return KEY.matcher(text).matches();
  }

  /// The proxy between Runnel and the internet.
  public OutgoingProxy proxy() {
    return OutgoingProxy.of(settings);
  }

  /// The port of console, API and metrics.
  public int consolePort() {
    return adminPort.orElse(port);
  }

  /// The address that console, API and metrics listen on.
  public String consoleHost() {
    return adminPort.isPresent() ? adminHost : host;
  }

  /// The address at which the outside reaches the server.
  ///
  /// @param ownPort the port that the server has
  public URI publicUrlOr(int ownPort) {
    return publicUrl.orElseGet(() -> URI.create("http://localhost:" + ownPort));
  }

  /// The address of the console, as people reach it. An admin port is not behind the public URL's
  /// proxy.
  ///
  /// @param consolePort the port that the console has
  public URI consoleUrl(int consolePort) {
    if (adminPort.isEmpty()) {
      return publicUrlOr(consolePort);
    }
    var isLocal = LOOPBACK.contains(adminHost) || EVERYWHERE.contains(adminHost);
    return adminUrl.orElseGet(
        () ->
            URI.create(
                "http://%s:%d".formatted(isLocal ? "localhost" : literal(adminHost), consolePort)));
  }

  /// The address of console and API, as this machine reaches it.
  public URI here(int consolePort) {
    var name = EVERYWHERE.contains(consoleHost()) ? "127.0.0.1" : consoleHost();
    return URI.create("http://" + literal(name) + ":" + consolePort);
  }

  private static String literal(String name) {
    return name.contains(":") && !name.startsWith("[") ? "[" + name + "]" : name;
  }

  /// The run service's URL: the configured one, else the embedded one's on this port.
  public URI agentApiOr(int ownPort) {
    return agentApi.orElseGet(() -> URI.create(here(ownPort) + "/api/v1"));
  }

  /// The files that a command names by their whole path, such as the script that it runs. Every
  /// isolation has those of the system.
  private static Stream<Path> filesIn(String command) {
    return WORD.matcher(command)
        .results()
        .map(word -> Path.of(word.group()))
        .filter(Files::isRegularFile)
        .filter(file -> !Machine.isSystemFile(file));
  }

  /// What the isolation of agents has to know.
  ///
  /// @param environment the operator's variables
  public Machine machine(Map<String, String> environment, Path data) {
    var hidden = new ArrayList<>(List.of(data));
    settings.file().ifPresent(hidden::add);
    agentSnapshots.ifPresent(it -> hidden.add(it.folder()));
    settings.values().entrySet().stream()
        .filter(each -> each.getKey().variable().endsWith("_FILE"))
        .forEach(each -> hidden.add(Path.of(each.getValue())));
    return new Machine(
        environment,
        hidden,
        Stream.concat(
                settings.list(RunnelSettings.AGENTS_READABLE).stream().map(Path::of),
                filesIn(agentCommand.orElse("")))
            .toList(),
        settings.list(RunnelSettings.AGENTS_HOME_FILES),
        new Quotas(
            DurationsAndSizes.size(
                settings, RunnelSettings.LIMIT_MEMORY, Quotas.DEFAULT.memoryBytes()),
            settings.isOff(RunnelSettings.LIMIT_PROCESSES)
                ? Quotas.UNLIMITED_PROCESSES
                : number(
                    settings,
                    RunnelSettings.LIMIT_PROCESSES,
                    (int) Quotas.DEFAULT.processes(),
                    1,
                    Integer.MAX_VALUE),
            settings.isOff(RunnelSettings.LIMIT_CPUS) ? Quotas.ALL_CPUS : cpus()));
  }

  private double cpus() {
    var text = settings.get(RunnelSettings.LIMIT_CPUS);
    if (text.isEmpty()) {
      return Quotas.ALL_CPUS;
    }
    try {
      var cpus = Double.parseDouble(text.get());
      if (cpus >= 0.01 && cpus <= 10_000) {
        return cpus;
      }
    } catch (NumberFormatException _) {
      // Reported below.
    }
    throw settings.wrong(
        RunnelSettings.LIMIT_CPUS,
        "is %s, and must be a number of processors like 2 or 1.5, or off".formatted(text.get()));
  }

  private static void checkHomeFiles(Settings settings) {
    for (var each : settings.list(RunnelSettings.AGENTS_HOME_FILES)) {
      var path = Path.of(each);
      if (path.isAbsolute() || path.startsWith("..") || !path.normalize().equals(path)) {
        throw settings.wrong(
            RunnelSettings.AGENTS_HOME_FILES,
            "holds %s, and must hold paths in the home folder, like .npmrc".formatted(each));
      }
    }
  }

  private static EgressSetting egress(Settings settings) {
    var text = settings.get(RunnelSettings.AGENTS_EGRESS);
    try {
      return text.map(it -> EgressSetting.general(List.of(it.split(","))))
          .orElse(EgressSetting.PUBLIC);
    } catch (IllegalArgumentException e) {
      throw settings.wrong("%s: %s.".formatted(RunnelSettings.AGENTS_EGRESS, e.getMessage()));
    }
  }

  private static PermissionRules permissionRules(Settings settings) {
    try {
      return PermissionRules.of(settings.get(RunnelSettings.AGENTS_ASK).orElse(""));
    } catch (IllegalArgumentException e) {
      throw settings.wrong(RunnelSettings.AGENTS_ASK, String.valueOf(e.getMessage()));
    }
  }

  /// Whether any agent asks a person before it uses a tool.
  public boolean asksForPermission() {
    return !permissionRules.isEmpty()
        || settings.environments().all().stream()
            .flatMap(each -> each.permissionRules().stream())
            .anyMatch(each -> !each.isEmpty());
  }

  /// Whether any run will have a network of its own.
  public boolean limitsEgress() {
    return !egress.isMachine()
        || settings.environments().all().stream()
            .flatMap(each -> each.egress().stream())
            .anyMatch(each -> !each.resolve(egress).isMachine());
  }

  /// How long agents may take to finish when Runnel stops.
  public Duration drain() {
    return limits(settings).drain();
  }

  private static Limits limits(Settings settings) {
    var defaults = Limits.DEFAULT;
    return new Limits(
        DurationsAndSizes.time(settings, RunnelSettings.LIMIT_START, defaults.start()),
        DurationsAndSizes.time(settings, RunnelSettings.LIMIT_IDLE, defaults.idle()),
        DurationsAndSizes.time(settings, RunnelSettings.LIMIT_TOTAL, defaults.total()),
        DurationsAndSizes.size(settings, RunnelSettings.LIMIT_OUTPUT, defaults.outputBytes()),
        DurationsAndSizes.size(settings, RunnelSettings.LIMIT_DISK, defaults.diskBytes()),
        DurationsAndSizes.time(settings, RunnelSettings.KEEP_WORKSPACES, defaults.keep()),
        DurationsAndSizes.size(settings, RunnelSettings.ALL_WORKSPACES, defaults.keepBytes()),
        DurationsAndSizes.time(settings, RunnelSettings.DRAIN, defaults.drain()),
        new CostLimit(DurationsAndSizes.money(settings, RunnelSettings.LIMIT_MONEY)));
  }

  private static Retention retention(Settings settings) {
    return new Retention(
        DurationsAndSizes.time(settings, RunnelSettings.RETENTION_RUNS, Limits.FOREVER),
        DurationsAndSizes.time(settings, RunnelSettings.RETENTION_TRANSCRIPTS, Limits.FOREVER),
        DurationsAndSizes.time(
            settings, RunnelSettings.RETENTION_DELIVERIES, Retention.DEFAULT.deliveries()),
        DurationsAndSizes.time(
            settings, RunnelSettings.RETENTION_PARKED, Retention.DEFAULT.parked()),
        DurationsAndSizes.time(
            settings, RunnelSettings.RETENTION_AUDIT, Retention.DEFAULT.audit()));
  }

  private static AgentAccess access(Settings settings) {
    var text = settings.get(RunnelSettings.AGENT_ACCESS).orElse("workspace");
    return switch (text) {
      case "workspace" -> AgentAccess.WORKSPACE;
      case "full" -> AgentAccess.FULL;
      default ->
          throw settings.wrong(
              RunnelSettings.AGENT_ACCESS, "is %s, and must be workspace or full".formatted(text));
    };
  }

  private static int number(
      Settings settings, Setting setting, int defaultValue, int least, int most) {
    var text = settings.get(setting);
    try {
      var number = text.map(Integer::parseInt).orElse(defaultValue);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Reported below, with the allowed values.
    }
    throw settings.wrong(
        setting,
        "is %s, and must be a number from %d to %d".formatted(text.orElse(""), least, most));
  }

  static Function<String, URI> url(Settings settings, Setting setting) {
    return text -> {
      try {
        var url = new URI(text.replaceAll("/+$", ""));
        if (url.getHost() != null
            && url.getUserInfo() == null
            && url.getQuery() == null
            && url.getFragment() == null
            && ("http".equals(url.getScheme()) || "https".equals(url.getScheme()))) {
          return url;
        }
      } catch (URISyntaxException e) {
        // Reported below.
      }
      throw settings.wrong(
          setting, "is not an address. It should read like https://runnel.example.com");
    };
  }

  /// Omits values that may be secret.
  @Override
  public String toString() {
    return "Config[host=%s, port=%d, data=%s]".formatted(host, port, data);
  }
}
