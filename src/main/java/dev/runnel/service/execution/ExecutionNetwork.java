package dev.runnel.service.execution;

import dev.runnel.memory.MemoryBudget;
import dev.runnel.service.agent.Harness;
import dev.runnel.service.egress.EgressProxy;
import dev.runnel.service.egress.EgressRules;
import dev.runnel.service.egress.GitGateway;
import dev.runnel.service.egress.ModelGateway;
import dev.runnel.service.egress.PushWitness;
import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Repository;
import dev.runnel.service.workspace.RunHome;
import dev.runnel.text.Sha256;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The network of one execution's agent and setup commands: a proxy with the hosts that their
/// environment permits, or the machine's network.
final class ExecutionNetwork implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ExecutionNetwork.class);
  private static final String FOLDER = "egress";
  private static final String BASE_URL = "BASE_URL";
  private static final int HASH_LENGTH = 16;
  // The kernel's limit is 107 bytes.
  private static final int MAX_FOLDER_LENGTH = 80;

  /// The machine's network, without restrictions.
  static final ExecutionNetwork MACHINE_NETWORK =
      new ExecutionNetwork(
          Optional.empty(),
          Optional.empty(),
          List.of(),
          ModelKeys.NONE,
          new ConcurrentLinkedQueue<>());

  private final Optional<Isolation.Network> network;
  private final Optional<EgressProxy> proxy;
  private final List<GitGateway> gateways;
  private final ModelKeys modelKeys;
  private final Queue<EgressProxy.Request> requests;

  ExecutionNetwork(
      Optional<Isolation.Network> network,
      Optional<EgressProxy> proxy,
      List<GitGateway> gateways,
      ModelKeys modelKeys,
      Queue<EgressProxy.Request> requests) {
    this.network = network;
    this.proxy = proxy;
    this.gateways = gateways;
    this.modelKeys = modelKeys;
    this.requests = requests;
  }

  /// Opens the proxy, if the execution is isolated on this machine and has a network of its own.
  ///
  /// @param witness observes pushes to repositories for which the proxy adds credentials
  /// @throws IOException if the proxy cannot listen
  static ExecutionNetwork open(
      ServiceSettings settings,
      ExecutionRequest request,
      Harness harness,
      Environment environment,
      PushWitness witness)
      throws IOException {
    var setting = environment.egress().orElse(settings.egress()).resolve(settings.egress());
    if (!settings.isolation().isOn()
        || settings.isolation() instanceof Isolation.Remote
        || setting.isMachine()) {
      return MACHINE_NETWORK;
    }
    var variables = settings.variables(harness.variables());
    variables.putAll(settings.environments().variables(environment));
    var modelKeys =
        ModelKeys.of(harness.modelLogins(), variables, loginFileTexts(harness, settings));
    variables.keySet().removeAll(modelKeys.gateways().keySet());
    var rules = setting.rules(requiredHosts(settings, request, variables, environment));
    var requests = new ConcurrentLinkedQueue<EgressProxy.Request>();
    var folder = folder(settings.workspaces());
    createPrivately(folder);
    var name = Sha256.hex(request.runId()).substring(0, HASH_LENGTH) + "-" + request.execution();
    var socket = folder.resolve(name);
    var gateways = gateways(settings, environment);
    var proxy =
        EgressProxy.listen(
            socket,
            rules,
            new EgressProxy.Extras(
                gateways,
                setting.isNone() ? List.of() : modelKeys.allGateways(),
                request.mayStartRuns() ? List.of(settings.apiUrl().get()) : List.of(),
                witness,
                settings.memory().share(MemoryBudget.Kind.RUNS)),
            EgressProxy.Resolver.system(),
            requests::add);
    settings.isolation().user().own(socket);
    var services = new ArrayList<>(rules.loopback());
    if (!modelKeys.gateways().isEmpty()) {
      services.add(ModelGateway.SERVICE);
    }
    return new ExecutionNetwork(
        Optional.of(new Isolation.Network(socket, services)),
        Optional.of(proxy),
        gateways,
        modelKeys,
        requests);
  }

  /// Deletes the sockets that remain after a crash of the service.
  static void deleteStaleSockets(Path workspaces) {
    var folder = folder(workspaces);
    try {
      if (!Files.isDirectory(folder) || !isOwnedByThisUser(folder)) {
        return;
      }
      try (var sockets = Files.list(folder)) {
        for (var each : sockets.toList()) {
          Files.deleteIfExists(each);
        }
      }
    } catch (IOException e) {
      log.warn("cannot delete sockets of earlier executions folder={}", folder, e);
    }
  }

  /// The folder of the sockets: next to the workspaces, or in the folder for temporary files if
  /// that path is too long for a socket.
  private static Path folder(Path workspaces) {
    var folder = workspaces.toAbsolutePath().normalize().resolveSibling(FOLDER);
    return folder.toString().length() <= MAX_FOLDER_LENGTH
        ? folder
        : Path.of("/tmp", "runnel-" + Sha256.hex(folder.toString()).substring(0, HASH_LENGTH));
  }

  /// @throws IOException if the folder belongs to another user, who could replace the sockets
  static void createPrivately(Path folder) throws IOException {
    var onlyOwner = PosixFilePermissions.fromString("rwx------");
    if (!Files.isDirectory(folder)) {
      Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(onlyOwner));
    }
    if (!isOwnedByThisUser(folder) || !Files.getPosixFilePermissions(folder).equals(onlyOwner)) {
      throw new IOException("%s must belong to this user only. Delete it.".formatted(folder));
    }
  }

  /// Whether the folder belongs to this user. In the folder for temporary files, another user could
  /// have created it.
  private static boolean isOwnedByThisUser(Path folder) throws IOException {
    return !Files.isSymbolicLink(folder)
        && Files.getOwner(folder).equals(Files.getOwner(Path.of("/proc/self")));
  }

  private static List<String> loginFileTexts(Harness harness, ServiceSettings settings)
      throws IOException {
    var loginFileTexts = new ArrayList<String>();
    for (var each : harness.loginFiles(settings.environment())) {
      if (Files.isRegularFile(each.source()) && Files.size(each.source()) <= RunHome.MAX_LOGIN) {
        loginFileTexts.add(Files.readString(each.source(), StandardCharsets.ISO_8859_1));
      }
    }
    return loginFileTexts;
  }

  /// The hosts that the operator configured in other settings: those of the repositories, of model
  /// providers that the agent calls without a gateway, and the run service for an execution that
  /// has a key for it.
  private static List<String> requiredHosts(
      ServiceSettings settings,
      ExecutionRequest request,
      Map<String, String> variables,
      Environment environment) {
    var addresses = new ArrayList<String>();
    environment.repositories().forEach(each -> addresses.add(each.url()));
    variables.entrySet().stream()
        .filter(each -> each.getKey().endsWith(BASE_URL))
        .forEach(each -> addresses.add(each.getValue()));
    if (request.mayStartRuns()) {
      addresses.add(settings.apiUrl().get().toString());
    }
    return addresses.stream().flatMap(each -> pattern(each).stream()).distinct().toList();
  }

  /// The repositories to which agents push with a token that only the proxy has.
  private static List<GitGateway> gateways(ServiceSettings settings, Environment environment) {
    return environment.repositories().stream()
        .filter(Repository::push)
        .flatMap(
            each ->
                each
                    .token()
                    .flatMap(
                        name ->
                            Optional.ofNullable(settings.environments().variableValues().get(name)))
                    .map(token -> new GitGateway(URI.create(each.url()), token))
                    .stream())
        .toList();
  }

  private static Optional<String> pattern(String address) {
    try {
      var uri = new URI(address.strip());
      var scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
      if (uri.getHost() == null || !Set.of("http", "https").contains(scheme)) {
        return Optional.empty();
      }
      var pattern = "internal:%s:%d".formatted(uri.getHost(), EgressRules.port(uri));
      return Optional.of(new EgressRules(List.of(pattern)).patterns().getFirst());
    } catch (URISyntaxException | IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  /// The network of a command; empty for the machine's network.
  Optional<Isolation.Network> network() {
    return network;
  }

  /// The URLs of the repositories whose pushes the proxy observes.
  Set<String> observedRepositories() {
    return gateways.stream().map(it -> it.repository().toString()).collect(Collectors.toSet());
  }

  /// The text of a login file, without the keys that the proxy adds.
  String loginFile(String text) {
    return modelKeys.replaceKeys(text);
  }

  /// The variables of a command, in addition to the given ones, some of which they replace.
  Map<String, String> variables(Map<String, String> given) {
    if (network.isEmpty()) {
      return Map.of();
    }
    var all = new HashMap<>(network.get().variables(given));
    all.putAll(modelKeys.variables(given));
    all.putAll(GitGateway.variables(gateways, number(given.get("GIT_CONFIG_COUNT"))));
    return all;
  }

  private static int number(@Nullable String text) {
    try {
      return text == null ? 0 : Integer.parseInt(text);
    } catch (NumberFormatException _) {
      return 0;
    }
  }

  /// The requested hosts in sentences for people; empty if there are none.
  List<String> notes() {
    var notes = new ArrayList<String>();
    var reached = hosts(true);
    var refused = hosts(false);
    if (!reached.isEmpty()) {
      notes.add("Network: asked for %s.".formatted(reached));
    }
    if (!refused.isEmpty()) {
      notes.add(
          "Network: refused %s. An operator can permit hosts with agents.egress in runnel.yaml, or with egress of the environment."
              .formatted(refused));
    }
    if (requests.size() >= EgressProxy.MAX_REPORTED) {
      notes.add(
          "Network: only the first %d hosts are listed. The agent may have reached others."
              .formatted(EgressProxy.MAX_REPORTED));
    }
    return notes;
  }

  private String hosts(boolean permitted) {
    return requests.stream()
        .filter(each -> each.permitted() == permitted)
        .map(EgressProxy.Request::toString)
        .sorted()
        .collect(Collectors.joining(", "));
  }

  @Override
  public void close() {
    try {
      if (proxy.isPresent()) {
        proxy.get().close();
      }
    } catch (IOException e) {
      log.warn("cannot close the proxy of an execution", e);
    }
  }
}
