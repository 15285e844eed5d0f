package dev.runnel.app.settings;

import dev.runnel.core.deliver.FileLimits;
import dev.runnel.core.deliver.Reminders;
import dev.runnel.core.dispatch.DispatchOptions;
import dev.runnel.service.egress.EgressSetting;
import dev.runnel.service.isolation.Machine;
import dev.runnel.service.run.AgentAccess;
import dev.runnel.service.run.limit.Limits;
import dev.runnel.service.store.SlotLimits;
import dev.runnel.service.workspace.PermissionRules;
import dev.runnel.service.workspace.Snapshots;
import dev.runnel.store.Retention;
import dev.runnel.web.TrustedProxies;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The settings, checked and typed.
///
/// @param trustedProxies in front of the server
/// @param databaseUrl empty for the embedded database in the data folder
/// @param agentApi empty for the embedded service
/// @param agentSlotLimits how many agents run at once on all nodes together, and of one person
/// @param agentLease how long other nodes wait for this one before they take it for lost
/// @param agentSnapshots where workspaces are kept for other nodes; empty to keep none
/// @param isolation the requested isolation, which the machine may not support
/// @param egress the hosts that isolated agents reach, where their environment has none of its own
/// @param permissionRules the tools for which agents ask a person, likewise
public record Config(
    Addresses addresses,
    TrustedProxies trustedProxies,
    Path data,
    Optional<String> databaseUrl,
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
  /// An absolute path in a shell command.
  private static final Pattern WORD = Pattern.compile("(?<![^\\s'\"=])/[^\\s'\";|&<>()$`*?]+");

  private static final Pattern KEY = Pattern.compile("[!-~]+");

  public static Config of(Settings settings) {
    return ConfigReader.read(settings);
  }

  /// Whether an HTTP header can carry it.
  public static boolean isKey(String text) {
    return KEY.matcher(text).matches();
  }

  /// The proxy between Runnel and the internet.
  public OutgoingProxy proxy() {
    return OutgoingProxy.of(settings);
  }

  /// The run service's URL: the configured one, else the embedded one's on this port.
  public URI agentApiOr(int ownPort) {
    return agentApi.orElseGet(() -> URI.create(addresses.here(ownPort) + "/api/v1"));
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
        ConfigReader.quotas(settings));
  }

  /// The account of agents: a name or a number; blank for the default.
  public String agentsUser() {
    return settings.get(RunnelSettings.AGENTS_USER).orElse("");
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
    return limits.drain();
  }

  /// Omits values that may be secret.
  @Override
  public String toString() {
    return "Config[host=%s, port=%d, data=%s]".formatted(addresses.host(), addresses.port(), data);
  }
}
