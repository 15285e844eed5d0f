package dev.runnel.app.server;

import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.SettingsException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Optional;

/// The ports at which the server listens.
///
/// @param deliveries where deliveries arrive
/// @param admin of console, API and metrics: a port of their own, or the same
record ServerPorts(int deliveries, int admin) {
  /// @throws SettingsException if a port that is set is not free
  static ServerPorts of(Config config) {
    PortProbe.problem(config.addresses().host(), config.addresses().port())
        .ifPresent(
            problem -> {
              throw new SettingsException(problem);
            });
    var deliveries =
        config.addresses().port() == 0
            ? free(config.addresses().host())
            : config.addresses().port();
    return new ServerPorts(
        deliveries, config.addresses().adminPort().map(it -> admin(config, it)).orElse(deliveries));
  }

  private static int admin(Config config, int port) {
    adminProblem(config, port)
        .ifPresent(
            problem -> {
              throw new SettingsException(problem);
            });
    return port;
  }

  static Optional<String> adminProblem(Config config, int port) {
    return PortProbe.problem(config.addresses().adminHost(), port)
        .map(
            _ ->
                "Port %d on %s is not free. Stop what listens there, or choose another port with RUNNEL_ADMIN_PORT."
                    .formatted(port, config.addresses().adminHost()));
  }

  private static int free(String host) {
    try (var socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(host, 0));
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new SettingsException("No port is free on %s: %s".formatted(host, e));
    }
  }
}
