package dev.runnel.app.settings;

import dev.runnel.core.decide.PublicWork;
import dev.runnel.core.decide.PullRequestFollowUps;
import dev.runnel.core.deliver.FileLimits;
import dev.runnel.core.dispatch.DispatchOptions;
import dev.runnel.core.dispatch.SameIssueAction;
import dev.runnel.core.port.TraceRecorder;
import dev.runnel.service.egress.EgressSetting;
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
import dev.runnel.web.TrustedProxies;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Reads [Config] from the settings, and checks it. A default that the documentation of a setting
/// states literally is read from there.
final class ConfigReader {
  private static final int MAX_FOLLOW_UPS = 20;
  private static final int MAX_SLOTS = 1000;
  private static final long MAX_FILE = 20L << 20;
  private static final Duration MIN_LEASE = Duration.ofSeconds(2);
  private static final Duration SNAPSHOT_TIMEOUT = Duration.ofMinutes(2);
  private static final Duration MAX_LEASE = Duration.ofHours(1);

  private ConfigReader() {}

  static Config read(Settings settings) {
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
    if (settings.get(RunnelSettings.AGENT_API_KEY).filter(key -> !Config.isKey(key)).isPresent()) {
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
        Addresses.of(settings),
        trustedProxies(settings),
        Path.of(text(settings, RunnelSettings.DATA)).toAbsolutePath().normalize(),
        database,
        agentApi,
        settings.get(RunnelSettings.AGENT_API_KEY),
        settings.get(RunnelSettings.AGENT_COMMAND),
        number(settings, RunnelSettings.AGENT_SLOTS, 1, MAX_SLOTS),
        new SlotLimits(slotsOfAll(settings), slotsPerPerson(settings)),
        lease(settings),
        snapshots(settings),
        text(settings, RunnelSettings.AGENTS_ISOLATION),
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

  private static TrustedProxies trustedProxies(Settings settings) {
    try {
      return TrustedProxies.of(settings.list(RunnelSettings.TRUSTED_PROXIES));
    } catch (IllegalArgumentException e) {
      throw settings.wrong(RunnelSettings.TRUSTED_PROXIES, String.valueOf(e.getMessage()));
    }
  }

  private static DispatchOptions dispatch(Settings settings) {
    var setting = RunnelSettings.SAME_ISSUE;
    var text = text(settings, setting).toUpperCase(Locale.ROOT);
    return new DispatchOptions(
        Stream.of(SameIssueAction.values())
            .filter(each -> each.name().equals(text))
            .findFirst()
            .orElseThrow(() -> settings.wrong(setting, "is ask, join or start")),
        new PullRequestFollowUps(
            number(settings, RunnelSettings.PULL_REQUEST_FOLLOW_UPS, 0, MAX_FOLLOW_UPS)),
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
    return switch (text(settings, setting)) {
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
        number(settings, RunnelSettings.FILES_COUNT, 0, 20));
  }

  private static OptionalInt slotsOfAll(Settings settings) {
    return settings.get(RunnelSettings.AGENT_SLOTS_OF_ALL).isEmpty()
        ? OptionalInt.empty()
        : OptionalInt.of(number(settings, RunnelSettings.AGENT_SLOTS_OF_ALL, 1, MAX_SLOTS));
  }

  private static Optional<Snapshots> snapshots(Settings settings) {
    return Optional.of(text(settings, RunnelSettings.AGENT_SNAPSHOTS))
        .filter(text -> !text.equals(Setting.OFF))
        .map(
            text ->
                new Snapshots(
                    Path.of(text).toAbsolutePath().normalize(),
                    DurationsAndSizes.size(settings, RunnelSettings.AGENT_SNAPSHOTS_LIMIT),
                    SNAPSHOT_TIMEOUT));
  }

  private static OptionalInt slotsPerPerson(Settings settings) {
    var setting = RunnelSettings.AGENT_SLOTS_PER_PERSON;
    if (settings.isOff(setting)) {
      return SlotLimits.NONE.perPerson();
    }
    return settings.get(setting).isEmpty()
        ? SlotLimits.DEFAULT.perPerson()
        : OptionalInt.of(number(settings, setting, 1, MAX_SLOTS));
  }

  private static Duration lease(Settings settings) {
    var lease = DurationsAndSizes.time(settings, RunnelSettings.AGENT_LEASE);
    if (lease.compareTo(MIN_LEASE) < 0 || lease.compareTo(MAX_LEASE) > 0) {
      throw settings.wrong(RunnelSettings.AGENT_LEASE, "must be a time from 2s to 1h");
    }
    return lease;
  }

  /// Blank list entries are reported by the platform, which can name them.
  private static void checkLength(Settings settings, Setting setting) {
    if (setting.kind() == Setting.Kind.CHOSEN_SECRET
        && !settings.list(setting).stream().allMatch(Setting::isLong)) {
      throw settings.wrong(setting, Setting.TOO_SHORT);
    }
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
    try {
      return EgressSetting.general(
          List.of(text(settings, RunnelSettings.AGENTS_EGRESS).split(",")));
    } catch (IllegalArgumentException e) {
      throw settings.wrong("%s: %s.".formatted(RunnelSettings.AGENTS_EGRESS, e.getMessage()));
    }
  }

  private static PermissionRules permissionRules(Settings settings) {
    try {
      return PermissionRules.of(text(settings, RunnelSettings.AGENTS_ASK));
    } catch (IllegalArgumentException e) {
      throw settings.wrong(RunnelSettings.AGENTS_ASK, String.valueOf(e.getMessage()));
    }
  }

  static Quotas quotas(Settings settings) {
    return new Quotas(
        DurationsAndSizes.size(settings, RunnelSettings.LIMIT_MEMORY, Quotas.DEFAULT.memoryBytes()),
        settings.isOff(RunnelSettings.LIMIT_PROCESSES)
            ? Quotas.UNLIMITED_PROCESSES
            : number(settings, RunnelSettings.LIMIT_PROCESSES, 1, Integer.MAX_VALUE),
        settings.isOff(RunnelSettings.LIMIT_CPUS) ? Quotas.ALL_CPUS : cpus(settings));
  }

  private static double cpus(Settings settings) {
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
    var text = text(settings, RunnelSettings.AGENT_ACCESS);
    return switch (text) {
      case "workspace" -> AgentAccess.WORKSPACE;
      case "full" -> AgentAccess.FULL;
      default ->
          throw settings.wrong(
              RunnelSettings.AGENT_ACCESS, "is %s, and must be workspace or full".formatted(text));
    };
  }

  /// The setting's value, or the default that its documentation states.
  static String text(Settings settings, Setting setting) {
    return settings.get(setting).orElse(setting.defaultValue());
  }

  static int number(Settings settings, Setting setting, int least, int most) {
    var text = text(settings, setting);
    try {
      var number = Integer.parseInt(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Reported below, with the allowed values.
    }
    throw settings.wrong(
        setting, "is %s, and must be a number from %d to %d".formatted(text, least, most));
  }

  static Function<String, URI> url(Settings settings, Setting setting) {
    return text -> {
      try {
        var url = new URI(text.replaceAll("(?<!/)/+$", ""));
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
}
