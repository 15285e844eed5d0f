package dev.runnel.web;

import io.javalin.config.RoutesConfig;
import java.util.Optional;
import java.util.function.Supplier;

/// `GET /healthz` and `GET /readyz` for orchestrators, and `GET /metrics`.
public final class Health {
  /// Whether the process responds. Its handler does not block.
  static final String LIVENESS = "/healthz";

  /// Whether the process is ready. Its handler waits for the database, up to a second or so.
  static final String READINESS = "/readyz";

  private final Supplier<Optional<String>> problem;
  private final Supplier<String> metrics;

  /// @param problem why the process is not ready; empty if it is ready
  /// @param metrics the page in Prometheus' text format, version 0.0.4
  public Health(Supplier<Optional<String>> problem, Supplier<String> metrics) {
    this.problem = problem;
    this.metrics = metrics;
  }

  public void probes(RoutesConfig routes) {
    routes.get(LIVENESS, context -> context.result("ok\n"));
    routes.get(
        READINESS,
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
