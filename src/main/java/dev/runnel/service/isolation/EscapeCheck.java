package dev.runnel.service.isolation;

import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.service.workspace.Workspaces;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Tries the known ways out of an isolation, from within. An attempt that succeeds changes nothing
/// on the machine but for one empty file, which is deleted.
///
/// @param machine what the isolation was made of
/// @param environment the environment whose container image is used; only containers need one
public record EscapeCheck(Isolation isolation, Machine machine, Environment environment) {
  /// One way out.
  ///
  /// @param what what was tried
  /// @param detail what was found, for people; blank if nothing
  public record Finding(String what, Result result, String detail) {}

  public enum Result {
    CLOSED,
    OPEN,
    /// The programs that are needed to try it are missing.
    UNKNOWN
  }

  private static final long PATIENCE_SECONDS = 120;
  private static final String METADATA = "169.254.169.254";

  /// Prints one line for each way: result, what, detail, separated by tabs.
  private static final String SCRIPT =
      """
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
        [ "$name" = CapEff: ] && [ "$value" != 0000000000000000 ] && echo "capabilities $value"
        [ "$name" = NoNewPrivs: ] && [ "$value" = 0 ] && echo "setuid programs"
      done < /proc/self/status)
      if [ -n "$powers" ]; then say OPEN "more power than an ordinary process" "$powers"
      else say CLOSED "more power than an ordinary process" ""; fi

      for each in $TARGETS; do : > "$each"; done 2>/dev/null

      connects "services of this machine (loopback)" $LOOPBACK
      connects "the internal network" $INTERNAL
      connects "the cloud's metadata service" $METADATA
      """;

  /// @param data the data folder, in which the check makes a folder for its time
  /// @throws IOException if the isolation does not start
  public List<Finding> run(Path data) throws IOException, InterruptedException {
    Files.createDirectories(data);
    var folder = Files.createTempDirectory(data, "escape-check-");
    try {
      return tryIn(folder);
    } finally {
      try (var all = Files.walk(folder)) {
        for (var each : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(each);
        }
      }
    }
  }

  private List<Finding> tryIn(Path folder) throws IOException, InterruptedException {
    var workspaces = new Workspaces(folder.resolve("workspaces"), Environments.NONE);
    var secret = Files.writeString(folder.resolve("secret"), "x");
    var otherHome =
        Files.writeString(workspaces.home("other", environment).folder().resolve("x"), "x");
    var otherWorkspace = Files.createDirectories(workspaces.root("other")).resolve("x");
    Files.writeString(otherWorkspace, "x");
    var request = ExecutionRequest.internal("escape-check-" + UUID.randomUUID());
    var root = Files.createDirectories(workspaces.root(request.runId()));
    var home = workspaces.home(request.runId(), environment);
    var operator = machine.home().map(Path::toString).orElse("/nonexistent");
    var targets = targets(folder, operator);
    try (var loopback = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var internal = internal()) {
      var variables = new HashMap<String, String>();
      variables.put(
          "HIDDEN",
          Stream.concat(Stream.of(secret), machine.hidden().stream().filter(Files::isRegularFile))
              .map(Path::toString)
              .collect(Collectors.joining(" ")));
      variables.put("OTHER_HOME", otherHome.toString());
      variables.put("OTHER_WORKSPACE", otherWorkspace.toString());
      variables.put("OPERATOR", operator);
      variables.put("PID_NAMESPACE", namespace("pid"));
      variables.put("IPC_NAMESPACE", namespace("ipc"));
      variables.put("MOUNT_NAMESPACE", namespace("mnt"));
      variables.put(
          "TARGETS", targets.stream().map(Path::toString).collect(Collectors.joining(" ")));
      variables.put("LOOPBACK", "127.0.0.1:" + loopback.getLocalPort());
      variables.put(
          "INTERNAL",
          internal.getInetAddress().isAnyLocalAddress()
              ? ""
              : internal.getInetAddress().getHostAddress() + ":" + internal.getLocalPort());
      variables.put("METADATA", METADATA + ":80");
      var place =
          new Isolation.Place(
              request, root, root, environment.image(), variables.keySet(), List.of(), home);
      var findings = new ArrayList<>(findings(start(place, variables)));
      isolation.cleanUp(request, machine.environment());
      findings.add(written(targets));
      return findings;
    }
  }

  private List<String> start(Isolation.Place place, Map<String, String> variables)
      throws IOException, InterruptedException {
    var output = place.home().folder().resolveSibling("output");
    var builder =
        new ProcessBuilder(isolation.wrap(List.of("/bin/sh", "-c", SCRIPT), place))
            .directory(place.folder().toFile())
            .redirectOutput(output.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().keySet().retainAll(names());
    builder.environment().putAll(variables);
    builder.environment().putAll(Isolation.variables(place.home()));
    var process = builder.start();
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
    }
    return Files.readAllLines(output, StandardCharsets.UTF_8);
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

  /// Files that must not come to be.
  private static List<Path> targets(Path folder, String operator) {
    var name = ".runnel-escape-check";
    return Stream.of(Path.of("/usr"), Path.of("/etc"), Path.of("/opt"), folder, Path.of(operator))
        .map(each -> each.resolve(name))
        .toList();
  }

  /// Looks from outside, since what a container writes to its own files is harmless.
  private static Finding written(List<Path> targets) {
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

  /// Listens on an address of the internal network; on any if this machine has none.
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

  /// @throws IOException if it cannot be read: without it, an attempt could harm the machine
  private static String namespace(String kind) throws IOException {
    return Files.readSymbolicLink(Path.of("/proc/self/ns", kind)).toString();
  }
}
