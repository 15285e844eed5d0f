package dev.runnel.web;

import io.javalin.config.RoutesConfig;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/// `GET /healthz` and `GET /readyz` for orchestrators, and `GET /metrics`.
public final class Health {
  /// The probes of orchestrators, whose handlers do not block.
  static final Set<String> PROBES = Set.of("/healthz", "/readyz");

  private final Supplier<Optional<String>> problem;
  private final Supplier<String> metrics;

  /// @param problem why the process is not ready; empty if it is ready
  /// @param metrics the page in Prometheus' text format, version 0.0.4
  public Health(Supplier<Optional<String>> problem, Supplier<String> metrics) {
    this.problem = problem;
    this.metrics = metrics;
  }

  public void probes(RoutesConfig routes) {
    routes.get("/healthz", context -> context.result("ok\n"));
    routes.get(
        "/readyz",
        context -> {
          var why = problem.get();
          context.status(why.isPresent() ? 503 : 200).result(why.orElse("ready") + "\n");
        });
  }

  public void metrics(RoutesConfig routes) {
    routes.get(
        "/metrics",
        context ->
            context.contentType("text/plain; version=0.0.4; charset=utf-8").result(metrics.get()));
  }
}
