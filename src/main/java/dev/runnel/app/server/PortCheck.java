package dev.runnel.app.server;

import dev.runnel.app.data.DataFolder;
import dev.runnel.app.settings.Config;
import dev.runnel.surface.ConnectionCheck;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Whether the ports are free, or the Runnel of this data folder answers there.
public final class PortCheck {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private PortCheck() {}

  /// One result for each port.
  public static List<ConnectionCheck> of(Config config) {
    var addresses = config.addresses();
    var port = addresses.port();
    var results = new ArrayList<ConnectionCheck>();
    results.add(
        result(
            config, port, PortProbe.problem(addresses.host(), port), addresses.deliveriesHere()));
    addresses
        .adminPort()
        .map(it -> result(config, it, ServerPorts.adminProblem(config, it), addresses.here(it)))
        .ifPresent(results::add);
    return results;
  }

  private static ConnectionCheck result(
      Config config, int port, Optional<String> problem, URI address) {
    if (problem.isEmpty()) {
      return ConnectionCheck.ok(port == 0 ? "ok: any free one" : "ok: %d is free".formatted(port));
    }
    return isRunning(config) && answers(address)
        ? ConnectionCheck.ok("ok: Runnel answers on %d".formatted(port))
        : ConnectionCheck.problem(problem.get());
  }

  private static boolean isRunning(Config config) {
    try {
      return DataFolder.isInUse(config.data());
    } catch (IOException _) {
      return false;
    }
  }

  private static boolean answers(URI address) {
    try (var http = HttpClient.newHttpClient()) {
      var request = HttpRequest.newBuilder(address.resolve("/healthz")).timeout(TIMEOUT).build();
      return http.send(request, BodyHandlers.ofString()).statusCode() == 200;
    } catch (IOException _) {
      return false;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
