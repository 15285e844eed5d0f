package dev.runnel.service.execution;

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
  private static final int DIGITS = 16;
  // The kernel's limit is 107 bytes.
  private static final int MAX_FOLDER = 80;

  /// Without a boundary.
  static final ExecutionNetwork OF_THE_MACHINE =
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
  private final Queue<EgressProxy.Request> asked;

  ExecutionNetwork(
      Optional<Isolation.Network> network,
      Optional<EgressProxy> proxy,
      List<GitGateway> gateways,
      ModelKeys modelKeys,
      Queue<EgressProxy.Request> asked) {
    this.network = network;
    this.proxy = proxy;
    this.gateways = gateways;
    this.modelKeys = modelKeys;
    this.asked = asked;
  }

  /// Opens the proxy, if the execution is isolated on this machine and has a network of its own.
  ///
  /// @param witness sees what is pushed to repositories for which the proxy adds a login
  /// @throws IOException if the proxy cannot listen
  static ExecutionNetwork open(
      ServiceSettings settings,
      ExecutionRequest request,
      Harness harness,
      Environment chosen,
      PushWitness witness)
      throws IOException {
    var setting = chosen.egress().orElse(settings.egress()).in(settings.egress());
    if (!settings.isolation().isOn()
        || settings.isolation() instanceof Isolation.Remote
        || setting.isMachine()) {
      return OF_THE_MACHINE;
    }
    var variables = settings.variables(harness.variables());
    variables.putAll(settings.environments().variables(chosen));
    var modelKeys = ModelKeys.of(harness.modelLogins(), variables, texts(harness, settings));
    variables.keySet().removeAll(modelKeys.gateways().keySet());
    var rules = setting.rules(needed(settings, request, variables, chosen));
    var asked = new ConcurrentLinkedQueue<EgressProxy.Request>();
    var folder = folder(settings.workspaces());
    createPrivately(folder);
    var name = Sha256.hex(request.runId()).substring(0, DIGITS) + "-" + request.execution();
    var socket = folder.resolve(name);
    var gateways = gateways(settings, chosen);
    var proxy =
        EgressProxy.listen(
            socket,
            rules,
            new EgressProxy.Offer(
                gateways,
                setting.isNone() ? List.of() : modelKeys.all(),
                request.mayStartRuns() ? List.of(settings.apiUrl().get()) : List.of(),
                witness),
            EgressProxy.Resolver.system(),
            asked::add);
    var services = new ArrayList<>(rules.loopback());
    if (!modelKeys.gateways().isEmpty()) {
      services.add(ModelGateway.SERVICE);
    }
    return new ExecutionNetwork(
        Optional.of(new Isolation.Network(socket, services)),
        Optional.of(proxy),
        gateways,
        modelKeys,
        asked);
  }

  /// Deletes the sockets that a process of the service left behind when it was killed.
  static void deleteLeft(Path workspaces) {
    var folder = folder(workspaces);
    try {
      if (!Files.isDirectory(folder) || !isOurs(folder)) {
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

  /// Beside the workspaces, or in the folder for temporary files if that path is too long for a
  /// socket.
  private static Path folder(Path workspaces) {
    var folder = workspaces.toAbsolutePath().normalize().resolveSibling(FOLDER);
    return folder.toString().length() <= MAX_FOLDER
        ? folder
        : Path.of("/tmp", "runnel-" + Sha256.hex(folder.toString()).substring(0, DIGITS));
  }

  /// @throws IOException if another user made the folder, who could replace the sockets
  private static void createPrivately(Path folder) throws IOException {
    var onlyOwner = PosixFilePermissions.fromString("rwx------");
    if (!Files.isDirectory(folder)) {
      Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(onlyOwner));
    }
    if (!isOurs(folder) || !Files.getPosixFilePermissions(folder).equals(onlyOwner)) {
      throw new IOException("%s must belong to this user only. Delete it.".formatted(folder));
    }
  }

  /// Whether this user made the folder: in the folder for temporary files, another one could have.
  private static boolean isOurs(Path folder) throws IOException {
    return !Files.isSymbolicLink(folder)
        && Files.getOwner(folder).equals(Files.getOwner(Path.of("/proc/self")));
  }

  private static List<String> texts(Harness harness, ServiceSettings settings) throws IOException {
    var texts = new ArrayList<String>();
    for (var each : harness.logins(settings.environment())) {
      if (Files.isRegularFile(each.from()) && Files.size(each.from()) <= RunHome.MAX_LOGIN) {
        texts.add(Files.readString(each.from(), StandardCharsets.ISO_8859_1));
      }
    }
    return texts;
  }

  /// The hosts that the operator named by other settings: those of the repositories, of the agent's
  /// models that it asks itself, and the run service itself for an execution that has a key for it.
  private static List<String> needed(
      ServiceSettings settings,
      ExecutionRequest request,
      Map<String, String> variables,
      Environment chosen) {
    var addresses = new ArrayList<String>();
    chosen.repositories().forEach(each -> addresses.add(each.url()));
    variables.entrySet().stream()
        .filter(each -> each.getKey().endsWith(BASE_URL))
        .forEach(each -> addresses.add(each.getValue()));
    if (request.mayStartRuns()) {
      addresses.add(settings.apiUrl().get().toString());
    }
    return addresses.stream().flatMap(each -> pattern(each).stream()).distinct().toList();
  }

  /// The repositories that agents push to with a token that they do not get.
  private static List<GitGateway> gateways(ServiceSettings settings, Environment chosen) {
    return chosen.repositories().stream()
        .filter(Repository::push)
        .flatMap(
            each ->
                each
                    .token()
                    .flatMap(name -> Optional.ofNullable(settings.environments().lent().get(name)))
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
      var usual = scheme.equals("https") ? 443 : 80;
      var pattern =
          "internal:%s:%d".formatted(uri.getHost(), uri.getPort() < 0 ? usual : uri.getPort());
      return Optional.of(new EgressRules(List.of(pattern)).patterns().getFirst());
    } catch (URISyntaxException | IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  /// The network of a command; empty for the machine's.
  Optional<Isolation.Network> network() {
    return network;
  }

  /// The addresses of the repositories whose pushes are seen.
  Set<String> witnessed() {
    return gateways.stream().map(it -> it.repository().toString()).collect(Collectors.toSet());
  }

  /// A file with which the agent signs in, without the keys that the proxy adds.
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

  /// What was asked for, a sentence each for people; empty if nothing was.
  List<String> notes() {
    var notes = new ArrayList<String>();
    var reached = names(true);
    var refused = names(false);
    if (!reached.isEmpty()) {
      notes.add("Network: asked for %s.".formatted(reached));
    }
    if (!refused.isEmpty()) {
      notes.add(
          "Network: refused %s. An operator can permit hosts with agents.egress in runnel.yaml, or with egress of the environment."
              .formatted(refused));
    }
    if (asked.size() >= EgressProxy.MAX_REPORTED) {
      notes.add(
          "Network: only the first %d hosts are listed. The agent may have reached others."
              .formatted(EgressProxy.MAX_REPORTED));
    }
    return notes;
  }

  private String names(boolean permitted) {
    return asked.stream()
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
