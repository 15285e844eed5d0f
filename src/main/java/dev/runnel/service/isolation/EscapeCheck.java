package dev.runnel.service.isolation;

import dev.runnel.service.egress.EgressProxy;
import dev.runnel.service.egress.EgressRules;
import dev.runnel.service.egress.EgressSetting;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.workspace.AgentUser;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.service.workspace.Folders;
import dev.runnel.service.workspace.Workspaces;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Tries known ways to escape from an isolation, from within. A successful attempt changes nothing
/// on the machine except for one empty file, which is deleted. If Runnel runs as root, the check
/// also creates a file in a folder of the system, and deletes it.
///
/// @param machine the facts that the isolation was built from
/// @param environment the environment whose container image is used; only containers need one
/// @param egress the hosts that agents reach in that environment
/// @param starter starts processes like agents
public record EscapeCheck(
    Isolation.Local isolation,
    Machine machine,
    Environment environment,
    EgressSetting egress,
    Starter starter) {
  /// Starts processes like agents.
  @FunctionalInterface
  public interface Starter {
    /// @param needsSocket whether its input and output are sockets, if the system can do that
    Process start(ProcessBuilder builder, boolean needsSocket) throws IOException;
  }

  /// The result of one attempt to escape.
  ///
  /// @param what the attempt
  /// @param detail details for people; blank if there are none
  public record Finding(String what, Result result, String detail) {}

  public enum Result {
    CLOSED,
    OPEN,
    /// It succeeded, but reaches nothing outside of the run, or no more than the detail says.
    LIMITED,
    /// The programs that the attempt needs are missing.
    UNKNOWN
  }

  private static final long TIMEOUT_SECONDS = 120;
  private static final String METADATA = "169.254.169.254";
  private static final String METADATA_NAME = "metadata.google.internal";
  private static final String REBINDING_NAME = "changing.runnel.invalid";
  // An address of the documentation range. A vulnerable proxy would resolve the name again and
  // connect to the second address.
  private static final String DOCUMENTATION_ADDRESS = "192.0.2.1";
  private static final Pattern ADDRESS = Pattern.compile("[0-9a-fA-F.:]+");
  private static final Pattern LITERAL =
      Pattern.compile("^(?:localhost|[0-9.]+|(?=[0-9a-f.]*+:)[0-9a-f:.]++)");
  private static final List<Integer> OTHER_PORTS = List.of(22, 25, 3306, 6379);

  /// Prints one line for each attempt: result, what, detail, separated by tabs.
  private static final String SCRIPT =
      """
      exec 2>/dev/null
      say() { printf '%s\\t%s\\t%s\\n' "$1" "$2" "$3"; }
      reads() {
        what=$1; shift
        for each; do
          if [ -r "$each" ]; then say OPEN "$what" "it reads $each"; return; fi
        done
        say CLOSED "$what" ""
      }
      shares() {
        if [ "$(readlink /proc/self/ns/$2)" = "$3" ]; then say OPEN "$1" "they share a namespace"
        else say CLOSED "$1" ""; fi
      }
      connects() {
        what=$1; shift
        if ! command -v timeout >/dev/null || ! command -v bash >/dev/null; then
          say UNKNOWN "$what" "this needs bash and timeout"; return
        fi
        for each; do
          if timeout 3 bash -c "exec 3<>/dev/tcp/${each%:*}/${each##*:}" 2>/dev/null; then
            say OPEN "$what" "it connects to $each"; return
          fi
        done
        say CLOSED "$what" ""
      }

      reads "Runnel's data and settings" $HIDDEN
      reads "another run's home and workspace" "$OTHER_HOME" "$OTHER_WORKSPACE"
      reads "the operator's home" "$OPERATOR/.ssh" "$OPERATOR/.bash_history" "$OPERATOR/.bashrc" \\
        "$OPERATOR/.profile" "$OPERATOR/.config" "$OPERATOR/.gitconfig" "$OPERATOR/.netrc"
      reads "passwords and private keys of the system" /etc/shadow /etc/ssl/private /etc/ssh
      shares "Runnel's processes in /proc" pid "$PID_NAMESPACE"
      shares "shared memory of others" ipc "$IPC_NAMESPACE"

      sockets=""
      for each in /run/docker.sock /var/run/docker.sock /run/podman/podman.sock \\
          /run/containerd/containerd.sock /run/user/*/bus /run/dbus/system_bus_socket \\
          "${SSH_AUTH_SOCK:-/none}"; do
        [ -S "$each" ] && sockets="$sockets $each"
      done
      if [ -n "$sockets" ]; then say OPEN "sockets that are as good as root" "it sees$sockets"
      else say CLOSED "sockets that are as good as root" ""; fi

      # Where it shares the machine's mounts, an attempt would harm the machine.
      mounts=$(readlink /proc/self/ns/mnt)
      if [ -z "$mounts" ]; then say UNKNOWN "unmounting what separates it" "this needs /proc"
      elif [ "$mounts" = "$MOUNT_NAMESPACE" ]; then
        say OPEN "unmounting what separates it" "they share a namespace"
      else
        undone=""
        umount -l /usr 2>/dev/null && undone="$undone umount /usr"
        mount -o remount,rw,bind /usr 2>/dev/null && undone="$undone remount /usr"
        mount -o remount,rw / 2>/dev/null && undone="$undone remount /"
        if [ -n "$undone" ]; then say OPEN "unmounting what separates it" "it can$undone"
        else say CLOSED "unmounting what separates it" ""; fi
      fi

      powers=$(while read -r name value; do
        case $name in CapInh:|CapPrm:|CapEff:|CapAmb:)
          [ "$value" != 0000000000000000 ] && echo "capabilities $value" ;;
        esac
        [ "$name" = NoNewPrivs: ] && [ "$value" = 0 ] && echo "setuid programs"
      done < /proc/self/status)
      if [ -n "$powers" ]; then say OPEN "more power than an ordinary process" "$powers"
      else say CLOSED "more power than an ordinary process" ""; fi

      # A file is opened for appending, and nothing is written.
      found=""
      for each in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sys/vm/drop_caches \\
          /proc/sysrq-trigger /proc/irq/default_smp_affinity /proc/bus/pci/00/* \\
          /sys/kernel/uevent_helper; do
        [ -e "$each" ] && (exec 3>> "$each") 2>/dev/null && found="$found $each"
      done
      if [ -n "$found" ]; then
        say OPEN "settings of the kernel" "it writes$found. Do not let agents work as root: agents.user"
      else say CLOSED "settings of the kernel" ""; fi

      what="files that only root may read"
      if [ -n "$ROOT_FILE" ] && [ -r "$ROOT_FILE" ]; then
        say OPEN "$what" "it reads $ROOT_FILE. Do not let agents work as root: agents.user"
      else say CLOSED "$what" ""; fi

      what="the variables of process 1"
      if ! command -v tr >/dev/null; then say UNKNOWN "$what" "this needs tr"
      else
        found=$(tr '\\0' '\\n' 2>/dev/null < /proc/1/environ | while IFS== read -r name value; do
          case $name in ""|*[!A-Za-z0-9_]*) continue ;; esac
          eval "[ -n \\"\\${$name+set}\\" ]" || printf ' %s' "$name"
        done 2>/dev/null)
        if [ -n "$found" ]; then say OPEN "$what" "it reads$found"
        else say CLOSED "$what" ""; fi
      fi

      what="processes of another agent"
      if ! command -v tr >/dev/null; then say UNKNOWN "$what" "this needs tr"
      else
        found=""
        for each in /proc/[0-9]*; do
          case $(tr '\\0' ' ' 2>/dev/null < "$each/cmdline") in
            *"$NEIGHBOUR"*) kill -0 "${each#/proc/}" 2>/dev/null && found=ends || found=sees ;;
          esac
        done 2>/dev/null
        if [ -n "$found" ]; then
          say OPEN "$what" "it $found them. Isolate agents: agents.isolation"
        else say CLOSED "$what" ""; fi
      fi

      # What the agent starts against the agent itself, which is this shell.
      what="attaching to the agent, for what it starts"
      if ! command -v perl >/dev/null; then say UNKNOWN "$what" "this needs perl"
      else
        found=$(perl -e '
          my ($pid, $trace, $read) = @ARGV;
          my $buffer = "x" x 8;
          my $here = pack("QQ", unpack("Q", pack("p", $buffer)), 8);
          my $nowhere = pack("QQ", 8, 8);
          print " process_vm_readv" if syscall($read, $pid + 0, $here, 1, $nowhere, 1, 0) >= 0 || $! == 14;
          my $handle = syscall(434, $pid + 0, 0);
          print " pidfd_getfd" if $handle >= 0 && syscall(438, $handle, 1, 0) >= 0;
          print " /proc/PID/mem" if open(my $memory, "+<", "/proc/$pid/mem");
          print " ptrace" if syscall($trace, 0x4206, $pid + 0, 0, 0) == 0;
        ' "$$" $CALLS 2>/dev/null)
        if [ -n "$found" ]; then
          say LIMITED "$what" "by$found. It can speak as the agent, and reaches no other run. The kernel refuses it with kernel.yama.ptrace_scope=1"
        else say CLOSED "$what" ""; fi
      fi
      what="the agent's output, for what it starts"
      if (exec 3>> /proc/$$/fd/1) 2>/dev/null; then
        say LIMITED "$what" "it opens it by /proc. It can speak as the agent, and reaches no other run. $CHANNEL"
      else say CLOSED "$what" ""; fi

      what="being ended after Runnel when memory runs out"
      score=$(cat /proc/self/oom_score_adj 2>/dev/null)
      lower() { sh -c 'echo "$1" > /proc/self/oom_score_adj' sh "$1" 2>/dev/null; }
      if [ -z "$score" ]; then say UNKNOWN "$what" "this needs /proc"
      elif [ "$score" -lt "$SCORE" ]; then say OPEN "$what" "its oom_score_adj is $score, not $SCORE"
      elif lower $((RUNNEL_SCORE - 1)); then
        say OPEN "$what" "it lowers its oom_score_adj below that of Runnel. Do not let agents work as root: agents.user"
      elif lower "$RUNNEL_SCORE"; then
        say LIMITED "$what" "it lowers its oom_score_adj to that of Runnel, not below. Limit the memory of agents: agents.limits.memory"
      else say CLOSED "$what" ""; fi

      # Not `:`, whose failure would end the shell.
      for each in $TARGETS; do printf "" > "$each"; done 2>/dev/null

      # An UDP socket connects where there is a route, and sends nothing.
      routes() {
        what=$1; shift
        if ! command -v bash >/dev/null; then say UNKNOWN "$what" "this needs bash"; return; fi
        for each; do
          if bash -c "exec 3<>/dev/udp/$each/53" 2>/dev/null; then
            say OPEN "$what" "it has a route to $each"; return
          fi
        done
        say CLOSED "$what" ""
      }
      # What the proxy says to a request for a tunnel: it should refuse at once.
      proxied() {
        what=$1; shift
        if [ -z "$PROXY" ]; then return; fi
        if ! command -v timeout >/dev/null || ! command -v bash >/dev/null; then
          say UNKNOWN "$what" "this needs bash and timeout"; return
        fi
        for each; do
          answer=$(timeout 3 bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128
            printf "CONNECT %s HTTP/1.1\\r\\n\\r\\n" "$0" >&3; read -r line <&3; echo "$line"' "$each" 2>/dev/null)
          case $answer in
            "HTTP/1.1 403"*) ;;
            "") [ "$each" = "$CHANGING" ] || { say UNKNOWN "$what" "the proxy does not answer"; return; } ;;
            *" 502 "*) [ "$each" = "$CHANGING" ] || { say OPEN "$what" "the proxy does not refuse $each"; return; } ;;
            *) say OPEN "$what" "the proxy connects to $each"; return ;;
          esac
        done
        say CLOSED "$what" ""
      }

      connects "services of this machine (loopback)" $LOOPBACK
      connects "the internal network" $INTERNAL
      connects "the cloud's metadata service" $METADATA
      routes "the network without the proxy (also DNS)" $ROUTES
      proxied "services of this machine, by the proxy" $BY_PROXY_MACHINE
      proxied "internal networks, by the proxy" $BY_PROXY_INTERNAL
      proxied "the cloud's metadata service, by the proxy" $BY_PROXY_METADATA
      proxied "other ports, by the proxy" $BY_PROXY_PORTS
      proxied "a name that changes its address" $CHANGING
      """;

  private static final String NO_SOCKET =
      "Here, Runnel cannot give the agent a socket instead: that needs Linux with glibc 2.34 or"
          + " newer";
  private static final String PIPE_OF_RUNTIME =
      "The container runtime makes that pipe; bubblewrap keeps it closed";

  private static final String REBINDING = "a name that changes its address";
  private static final String INTERNAL_HOSTS =
      "10.0.0.1:443 172.16.0.1:443 192.168.0.1:443 100.64.0.1:443 [fc00::1]:443 [fe80::1]:443";
  private static final String METADATA_HOSTS =
      "%s:80 %s:80 [fd00:ec2::254]:80 [::ffff:169.254.169.254]:80"
          .formatted(METADATA, METADATA_NAME);
  private static final Path NAME_SERVERS = Path.of("/etc/resolv.conf");

  private static String loopbackHosts(int port) {
    return Stream.of(
            "127.0.0.1", "localhost", "0.0.0.0", "2130706433", "[::1]", "[::ffff:127.0.0.1]")
        .flatMap(host -> Stream.of(host + ":" + port, host + ":443"))
        .collect(Collectors.joining(" "));
  }

  /// An address that any default route covers, and the machine's name servers.
  private static List<String> nameServers() throws IOException {
    var all = new ArrayList<>(List.of(DOCUMENTATION_ADDRESS));
    if (Files.isReadable(NAME_SERVERS)) {
      Files.readAllLines(NAME_SERVERS).stream()
          .map(line -> line.strip().split("\\s+"))
          .filter(words -> words.length > 1 && words[0].equals("nameserver"))
          .map(words -> words[1])
          .filter(address -> ADDRESS.matcher(address).matches())
          // On loopback, the run has services of its own.
          .filter(address -> !address.startsWith("127.") && !address.equals("::1"))
          .forEach(all::add);
    }
    return all;
  }

  /// Resolves two names as an attacker's name server would (DNS rebinding), and no other names.
  private static final class RebindingResolver implements EgressProxy.Resolver {
    private final AtomicInteger resolutions = new AtomicInteger();

    /// How often the rebinding name was resolved.
    int resolutions() {
      return resolutions.get();
    }

    @Override
    public List<InetAddress> resolve(String host) throws UnknownHostException {
      return switch (host) {
        case REBINDING_NAME ->
            List.of(
                InetAddress.getByName(
                    resolutions.getAndIncrement() == 0 ? DOCUMENTATION_ADDRESS : "127.0.0.1"));
        case METADATA_NAME -> List.of(InetAddress.getByName(METADATA));
        default -> {
          if (!LITERAL.matcher(host).matches()) {
            throw new UnknownHostException(host);
          }
          yield List.of(InetAddress.getByName(host));
        }
      };
    }
  }

  /// The proxy of the check, if agents have one.
  private record Proxy(
      Optional<Isolation.Network> network, Optional<EgressProxy> proxy, Optional<Path> folder)
      implements AutoCloseable {
    static Proxy listen(
        boolean wanted, EgressRules rules, EgressProxy.Resolver resolver, AgentUser user)
        throws IOException {
      if (!wanted) {
        return new Proxy(Optional.empty(), Optional.empty(), Optional.empty());
      }
      // The path of a socket must be short.
      var folder = Files.createTempDirectory("runnel-check-");
      var socket = folder.resolve("proxy");
      var proxy = EgressProxy.listen(socket, rules, resolver, _ -> {});
      user.own(socket);
      return new Proxy(
          Optional.of(new Isolation.Network(socket, rules.loopback())),
          Optional.of(proxy),
          Optional.of(folder));
    }

    @Override
    public void close() throws IOException {
      if (proxy.isPresent()) {
        proxy.get().close();
      }
      if (folder.isPresent()) {
        Files.deleteIfExists(folder.get());
      }
    }
  }

  /// A file in a folder of the system that its owner alone may read, if Runnel runs as root.
  private record RootFile(Optional<Path> file) implements AutoCloseable {
    static RootFile create() throws IOException {
      if (!Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0)) {
        return new RootFile(Optional.empty());
      }
      for (var each : List.of("/opt", "/usr")) {
        try {
          // A new temporary file is private.
          return new RootFile(
              Optional.of(Files.createTempFile(Path.of(each), ".runnel-escape-check-", "")));
        } catch (IOException _) {
          // It is missing or read-only.
        }
      }
      return new RootFile(Optional.empty());
    }

    @Override
    public void close() throws IOException {
      if (file.isPresent()) {
        Files.deleteIfExists(file.get());
      }
    }
  }

  /// @param data the data folder, in which the check creates a temporary folder
  /// @throws IOException if the isolation does not start
  public List<Finding> run(Path data) throws IOException {
    Files.createDirectories(data);
    var folder = Files.createTempDirectory(data, "escape-check-");
    try {
      return runIn(folder);
    } finally {
      try (var all = Files.walk(folder)) {
        for (var each : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(each);
        }
      }
    }
  }

  private List<Finding> runIn(Path folder) throws IOException {
    var user = isolation.user();
    user.admit(folder);
    var workspaces = new Workspaces(folder.resolve("workspaces"), Environments.NONE, user);
    // As private as all that Runnel keeps.
    var secret = folder.resolve("secret");
    Folders.createFile(secret, new byte[1]);
    var neighbour = place(workspaces, "escape-check-other-" + UUID.randomUUID());
    var otherHome = Files.writeString(neighbour.home().folder().resolve("x"), "x");
    user.own(otherHome);
    var otherWorkspace = Files.writeString(neighbour.root().resolve("x"), "x");
    user.own(otherWorkspace);
    var mine = place(workspaces, "escape-check-" + UUID.randomUUID());
    user.admit(folder.resolve("workspaces"));
    var operator = machine.home().map(Path::toString).orElse("/nonexistent");
    var targets = targets(folder, operator);
    var rules = egress.rules(List.of());
    var resolver = new RebindingResolver();
    try (var loopback = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var internal = internal();
        var rootFile = RootFile.create();
        var proxy = Proxy.listen(isolation.isOn() && !egress.isMachine(), rules, resolver, user)) {
      var variables = new HashMap<String, String>();
      variables.put(
          "HIDDEN",
          Stream.concat(Stream.of(secret), machine.hidden().stream().filter(Files::isRegularFile))
              .map(Path::toString)
              .collect(Collectors.joining(" ")));
      variables.put("OTHER_HOME", otherHome.toString());
      variables.put("OTHER_WORKSPACE", otherWorkspace.toString());
      variables.put("OPERATOR", operator);
      variables.put("PID_NAMESPACE", namespaceOf("pid"));
      variables.put("IPC_NAMESPACE", namespaceOf("ipc"));
      variables.put("MOUNT_NAMESPACE", namespaceOf("mnt"));
      variables.put(
          "TARGETS", targets.stream().map(Path::toString).collect(Collectors.joining(" ")));
      variables.put("LOOPBACK", "127.0.0.1:" + loopback.getLocalPort());
      variables.put(
          "INTERNAL",
          internal.getInetAddress().isAnyLocalAddress()
              ? ""
              : internal.getInetAddress().getHostAddress() + ":" + internal.getLocalPort());
      variables.put("METADATA", METADATA + ":80");
      variables.put("ROUTES", String.join(" ", nameServers()));
      variables.put("PROXY", proxy.network().isPresent() ? "yes" : "");
      variables.put("BY_PROXY_MACHINE", loopbackHosts(loopback.getLocalPort()));
      variables.put("BY_PROXY_INTERNAL", variables.get("INTERNAL") + " " + INTERNAL_HOSTS);
      variables.put("BY_PROXY_METADATA", METADATA_HOSTS);
      variables.put(
          "BY_PROXY_PORTS",
          OTHER_PORTS.stream()
              .filter(port -> !rules.permits(REBINDING_NAME, port))
              .map(port -> REBINDING_NAME + ":" + port)
              .collect(Collectors.joining(" ")));
      variables.put("CHANGING", REBINDING_NAME + ":443");
      variables.put("ROOT_FILE", rootFile.file().map(Path::toString).orElse(""));
      variables.put("NEIGHBOUR", neighbour.request().runId());
      variables.put("CALLS", SeccompFilter.ptrace() + " " + SeccompFilter.readMemory());
      variables.put("CHANNEL", isolation.needsSocket() ? NO_SOCKET : PIPE_OF_RUNTIME);
      variables.put("SCORE", Priority.oomScore());
      variables.put("RUNNEL_SCORE", Integer.toString(Priority.own()));
      proxy.network().ifPresent(it -> variables.putAll(it.variables(Map.of())));
      var place =
          new Isolation.Place(
              mine.request(),
              mine.root(),
              mine.root(),
              environment,
              variables.keySet(),
              List.of(),
              mine.home(),
              proxy.network(),
              true);
      var other =
          start(
              List.of("/bin/sh", "-c", "read -r _", neighbour.request().runId()),
              neighbour,
              Map.of());
      List<String> output;
      try {
        output = outputOf(start(List.of("/bin/sh", "-c", SCRIPT), place, variables));
      } finally {
        other.destroyForcibly();
        isolation.cleanUp(neighbour.request(), machine.environment());
      }
      var findings = new ArrayList<>(findings(output));
      if (resolver.resolutions() > 1) {
        findings.removeIf(it -> it.what().equals(REBINDING));
        findings.add(new Finding(REBINDING, Result.OPEN, "the proxy resolves it twice"));
      }
      isolation.cleanUp(mine.request(), machine.environment());
      findings.add(checkTargets(targets));
      return findings;
    }
  }

  private Isolation.Place place(Workspaces workspaces, String runId) throws IOException {
    var home = workspaces.home(runId, environment);
    var root = Files.createDirectories(workspaces.root(runId));
    isolation.user().own(root);
    return new Isolation.Place(
        ExecutionRequest.internal(runId), root, root, environment, Set.of(), List.of(), home);
  }

  /// Starts a command like an agent that speaks alone.
  private Process start(List<String> command, Isolation.Place place, Map<String, String> variables)
      throws IOException {
    var builder =
        new ProcessBuilder(isolation.wrap(command, place)).directory(place.folder().toFile());
    builder.environment().keySet().retainAll(names());
    builder.environment().putAll(variables);
    builder.environment().putAll(isolation.variables(place.home()));
    return starter.start(builder, isolation.needsSocket());
  }

  /// Reads all that it writes; ends it when that takes too long.
  private static List<String> outputOf(Process process) throws IOException {
    var _ =
        process
            .onExit()
            .orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS)
            .exceptionally(_ -> process.destroyForcibly());
    try (var _ = process.getOutputStream();
        var output = process.getInputStream();
        var _ = process.getErrorStream()) {
      return new String(output.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  private List<String> names() {
    return Stream.concat(Stream.of("PATH", "LANG"), isolation.variables().stream()).toList();
  }

  private static List<Finding> findings(List<String> lines) throws IOException {
    var findings = new ArrayList<Finding>();
    for (var line : lines) {
      var parts = line.split("\t", -1);
      if (parts.length == 3) {
        findings.add(new Finding(parts[1], Result.valueOf(parts[0]), parts[2]));
      }
    }
    if (findings.isEmpty()) {
      throw new IOException("the isolation did not start, or has no /bin/sh");
    }
    return findings;
  }

  /// Files that the isolation must keep the script from creating.
  private static List<Path> targets(Path folder, String operator) {
    var name = ".runnel-escape-check";
    return Stream.of(Path.of("/usr"), Path.of("/etc"), Path.of("/opt"), folder, Path.of(operator))
        .map(each -> each.resolve(name))
        .toList();
  }

  /// Checked from outside, since it is harmless if a container writes to its own files.
  private static Finding checkTargets(List<Path> targets) {
    var what = "writing outside its own folders";
    var found = targets.stream().filter(Files::exists).toList();
    for (var each : found) {
      try {
        Files.delete(each);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return found.isEmpty()
        ? new Finding(what, Result.CLOSED, "")
        : new Finding(what, Result.OPEN, "it wrote " + found.getFirst());
  }

  /// Listens on an address of an internal network; on loopback if this machine has none.
  private static ServerSocket internal() throws IOException {
    for (var network : NetworkInterface.networkInterfaces().toList()) {
      for (var address : network.inetAddresses().toList()) {
        if (address.isSiteLocalAddress()) {
          return new ServerSocket(0, 1, address);
        }
      }
    }
    return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }

  /// @throws IOException if it cannot be read; without it, an attempt could harm the machine
  private static String namespaceOf(String kind) throws IOException {
    return Files.readSymbolicLink(Path.of("/proc/self/ns", kind)).toString();
  }
}
