package dev.runnel.app.settings;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Where the server listens, and how it is reached.
///
/// @param port `0` for any free one
/// @param adminPort the port of console, API and metrics; empty for the same
/// @param adminHost the address that the admin port listens on
/// @param adminUrl the address of the console on the admin port, as people reach it
/// @param publicUrl the address at which the outside reaches the server
public record Addresses(
    String host,
    int port,
    Optional<Integer> adminPort,
    String adminHost,
    Optional<URI> adminUrl,
    Optional<URI> publicUrl) {
  private static final int MAX_PORT = 65_535;
  private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "::1", "[::1]");
  private static final Set<String> EVERYWHERE = Set.of("0.0.0.0", "::", "[::]");

  static Addresses of(Settings settings) {
    return new Addresses(
        ConfigReader.text(settings, RunnelSettings.HOST),
        port(settings),
        adminPort(settings),
        ConfigReader.text(settings, RunnelSettings.ADMIN_HOST),
        settings
            .get(RunnelSettings.ADMIN_URL)
            .map(ConfigReader.url(settings, RunnelSettings.ADMIN_URL)),
        settings
            .get(RunnelSettings.PUBLIC_URL)
            .map(ConfigReader.url(settings, RunnelSettings.PUBLIC_URL)));
  }

  private static int port(Settings settings) {
    return ConfigReader.number(settings, RunnelSettings.PORT, 0, MAX_PORT);
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
    var adminPort = ConfigReader.number(settings, RunnelSettings.ADMIN_PORT, 1, MAX_PORT);
    if (adminPort == port(settings)) {
      throw settings.wrong(
          "RUNNEL_ADMIN_PORT is %d, which is also the port of everything else. Choose another one,"
                  .formatted(adminPort)
              + " or leave it out to use one port for all.");
    }
    return Optional.of(adminPort);
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
    return here(consoleHost(), consolePort);
  }

  /// The address at which deliveries arrive, as this machine reaches it.
  public URI deliveriesHere() {
    return here(host, port);
  }

  private static URI here(String host, int port) {
    var name = EVERYWHERE.contains(host) ? "127.0.0.1" : host;
    return URI.create("http://" + literal(name) + ":" + port);
  }

  private static String literal(String name) {
    return name.contains(":") && !name.startsWith("[") ? "[" + name + "]" : name;
  }
}
