package dev.runnel.web;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.util.Optional;
import java.util.function.Supplier;

/// `GET /healthz`, `/readyz` and `/readyz/deliveries` for orchestrators, and `GET /metrics`.
public final class Health {
  /// Whether the process responds. Its handler does not block.
  static final String LIVENESS = "/healthz";

  /// Whether the process is ready. Its handler waits for the database, up to a second or so.
  static final String READINESS = "/readyz";

  /// Whether the process can accept deliveries, for whatever routes them to one of several nodes. A
  /// platform that does not work must not keep those of the others away.
  static final String DELIVERY_READINESS = READINESS + "/deliveries";

  /// Whether orchestrators ask for the path, and take no answer for a reason to end the process.
  static boolean isProbe(String path) {
    return path.equals(LIVENESS) || path.equals(READINESS) || path.equals(DELIVERY_READINESS);
  }

  private final Supplier<Optional<String>> deliveryProblem;
  private final Supplier<Optional<String>> problem;
  private final Supplier<String> metrics;

  /// @param deliveryProblem why the process cannot accept deliveries; empty if it can
  /// @param problem why the process is not ready, if it can accept deliveries; empty if it is ready
  /// @param metrics the page in Prometheus' text format, version 0.0.4
  public Health(
      Supplier<Optional<String>> deliveryProblem,
      Supplier<Optional<String>> problem,
      Supplier<String> metrics) {
    this.deliveryProblem = deliveryProblem;
    this.problem = problem;
    this.metrics = metrics;
  }

  public void probes(RoutesConfig routes) {
    routes.get(LIVENESS, context -> context.result("ok\n"));
    routes.get(READINESS, context -> answer(context, deliveryProblem.get().or(problem)));
    routes.get(DELIVERY_READINESS, context -> answer(context, deliveryProblem.get()));
  }

  private static void answer(Context context, Optional<String> why) {
    context.status(why.isPresent() ? 503 : 200).result(why.orElse("ready") + "\n");
  }

  public void metrics(RoutesConfig routes) {
    routes.get(
        "/metrics",
        context ->
            context.contentType("text/plain; version=0.0.4; charset=utf-8").result(metrics.get()));
  }
}
