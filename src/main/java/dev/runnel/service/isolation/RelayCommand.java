package dev.runnel.service.isolation;

import dev.runnel.service.egress.EgressRelay;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/// Starts an [EgressRelay] together with a command, with the Java that runs Runnel, because it is
/// available on every machine.
///
/// @param readable the files that the relay needs: paths on this machine by the path inside the
///   isolation
/// @param java the command that starts Java inside the isolation
record RelayCommand(Map<Path, Path> readable, List<String> java, Isolation.Network network) {
  private static final Path FOLDER = Path.of("/run/runnel");

  /// The path of the proxy's socket inside the isolation.
  static final Path SOCKET = FOLDER.resolve("proxy");

  private static final Path JAVA = FOLDER.resolve("java");
  private static final Path LIBRARIES = FOLDER.resolve("lib");
  private static final Path RELAY_JAR = FOLDER.resolve("relay.jar");

  /// Starts the command as soon as the relay listens and so closes its output. If the relay cannot
  /// start, the command has no network.
  private static final String SCRIPT =
      """
      : "$(unset JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS LD_LIBRARY_PATH LD_PRELOAD
      %s < /dev/null 2> /dev/null &)"
      exec "$@"
      """;

  private static final List<String> OPTIONS =
      List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx32m", "-Xshare:auto");

  private static final Pattern LOADER =
      Pattern.compile("^(?:ld-(linux|musl).*\\.so.*|ld64?\\.so.*)");
  private static final Pattern MAPPED = Pattern.compile("(?m) (/\\S+\\.so[.0-9]*)$");

  /// Not needed, and perhaps different in the image.
  private static final Pattern CERTIFICATES =
      Pattern.compile("cacerts|blacklisted|/etc/(ssl|pki)/");

  private static final Path MAPS = Path.of("/proc/self/maps");

  RelayCommand {
    readable = Collections.unmodifiableMap(new LinkedHashMap<>(readable));
    java = List.copyOf(java);
  }

  /// For an isolation with the system libraries of this machine.
  static RelayCommand forThisSystem(Isolation.Network network) {
    var readable = new LinkedHashMap<Path, Path>();
    readable.put(JAVA, home());
    readable.put(RELAY_JAR, relayJar());
    return new RelayCommand(readable, List.of(JAVA.resolve("bin/java").toString()), network);
  }

  /// For an isolation with other system libraries, or none: the libraries of this machine are
  /// added.
  static RelayCommand forAnySystem(Isolation.Network network) {
    var readable = new LinkedHashMap<Path, Path>();
    readable.put(JAVA, home());
    readable.put(RELAY_JAR, relayJar());
    linkTargets(home()).forEach(each -> readable.put(each, each));
    var loader = "";
    for (var each : libraries()) {
      var name = each.getFileName().toString();
      readable.put(LIBRARIES.resolve(name), Machine.real(each));
      loader = LOADER.matcher(name).matches() ? LIBRARIES.resolve(name).toString() : loader;
    }
    var program = JAVA.resolve("bin/java").toString();
    return new RelayCommand(
        readable,
        loader.isEmpty()
            ? List.of(program)
            : List.of(loader, "--library-path", LIBRARIES.toString(), program),
        network);
  }

  /// @return the command that starts the relay and the given command
  List<String> wrap(List<String> command) {
    var relay = new ArrayList<>(java);
    relay.addAll(OPTIONS);
    relay.addAll(List.of("-cp", RELAY_JAR.toString(), EgressRelay.class.getName()));
    relay.add(SOCKET.toString());
    relay.addAll(network.loopback());
    var quoted = relay.stream().map(each -> "'" + each + "'").toList();
    var wrapped =
        new ArrayList<>(List.of("/bin/sh", "-c", SCRIPT.formatted(String.join(" ", quoted)), "sh"));
    wrapped.addAll(command);
    return wrapped;
  }

  private static Path home() {
    return Machine.real(Path.of(System.getProperty("java.home")));
  }

  private static Path relayJar() {
    try {
      return Path.of(EgressRelay.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /// The targets of links in the folder of Java: some distributions keep its settings in other
  /// folders.
  private static List<Path> linkTargets(Path home) {
    try (var all = Files.walk(home)) {
      return all.filter(Files::isSymbolicLink)
          .map(Machine::real)
          .filter(each -> each.startsWith("/etc") && !CERTIFICATES.matcher(each.toString()).find())
          .filter(Files::exists)
          .distinct()
          .toList();
    } catch (IOException _) {
      return List.of();
    }
  }

  /// The libraries of the system that this Java uses.
  private static List<Path> libraries() {
    try {
      return MAPPED
          .matcher(Files.readString(MAPS))
          .results()
          .map(each -> Path.of(each.group(1)))
          .distinct()
          .filter(SystemFolders::contain)
          .filter(each -> !each.startsWith(home()))
          .toList();
    } catch (IOException _) {
      return List.of();
    }
  }
}
