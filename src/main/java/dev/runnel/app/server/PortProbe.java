package dev.runnel.app.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Checks whether Runnel can listen on its port, before time is spent on building or on opening a
/// database. The launcher runs this file before anything is built, so it uses only the JDK.
final class PortProbe {
  private static final String DEFAULT_HOST = "127.0.0.1";
  private static final int DEFAULT_PORT = 8080;
  private static final int MAX_PORT = 65_535;
  private static final List<String> WITH_VALUE = List.of("--config", "--port", "--data");

  private PortProbe() {}

  /// Exits with 1 and a message if it is already certain that Runnel cannot listen.
  ///
  /// @param arguments the arguments of `./runnel`
  public static void main(String[] arguments) {
    problem(List.of(arguments), System.getenv())
        .ifPresent(
            problem -> {
              System.err.println(problem);
              System.exit(1);
            });
  }

  /// The problem, if any; also empty if a settings file, which is read later, may change the port.
  static Optional<String> problem(List<String> arguments, Map<String, String> environment) {
    var command = "serve";
    var port = environment.getOrDefault("PORT", environment.getOrDefault("RUNNEL_PORT", ""));
    var hasFile = environment.containsKey("RUNNEL_CONFIG") || Files.exists(Path.of("runnel.yaml"));
    for (int i = 0; i < arguments.size(); i++) {
      var word = arguments.get(i);
      if (WITH_VALUE.contains(word) && i + 1 < arguments.size()) {
        i++;
        port = word.equals("--port") ? arguments.get(i) : port;
        hasFile |= word.equals("--config");
      } else {
        command = word;
      }
    }
    return command.equals("serve") && !hasFile
        ? problem(environment.getOrDefault("RUNNEL_HOST", DEFAULT_HOST), number(port))
        : Optional.empty();
  }

  /// An invalid port is reported when the settings are read.
  private static int number(String port) {
    var number = port.matches("\\d{1,5}") ? Integer.parseInt(port) : DEFAULT_PORT;
    return number <= MAX_PORT ? number : DEFAULT_PORT;
  }

  /// @param port 0 for any free one
  /// @return how to fix it; empty if Runnel can listen there
  static Optional<String> problem(String host, int port) {
    if (!binds(host, 0)) {
      return Optional.of(
          "RUNNEL_HOST is %s, and this machine has no such address. Leave it out to listen on %s."
              .formatted(host, DEFAULT_HOST));
    }
    return binds(host, port)
        ? Optional.empty()
        : Optional.of(
            "Port %d on %s is not free. Stop what listens there, or choose another port with PORT or --port."
                .formatted(port, host));
  }

  private static boolean binds(String host, int port) {
    try (var socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(host, port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
