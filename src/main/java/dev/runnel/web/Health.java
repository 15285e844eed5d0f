package dev.runnel.web;

import io.javalin.config.RoutesConfig;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/// `GET /healthz` and `GET /readyz` for orchestrators, and `GET /metrics`.
public final class Health {
  /// The probes of orchestrators, answered without waiting for anything.
  static final Set<String> PROBES = Set.of("/healthz", "/readyz");

  private final Supplier<Optional<String>> problem;
  private final Supplier<Map<String, Long>> gauges;
  private final RequestMetrics requestMetrics;

  /// @param problem the reason why no work can be done now; empty if there is none
  /// @param gauges gauges by their Prometheus names
  public Health(
      Supplier<Optional<String>> problem,
      Supplier<Map<String, Long>> gauges,
      RequestMetrics requestMetrics) {
    this.problem = problem;
    this.gauges = gauges;
    this.requestMetrics = requestMetrics;
  }

  /// Registers the probes and the metrics.
  public void routes(RoutesConfig routes) {
    probes(routes);
    metrics(routes);
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
            context.contentType("text/plain; version=0.0.4; charset=utf-8").result(metrics()));
  }

  private String metrics() {
    var text = new StringBuilder();
    text.append("# HELP runnel_receptions_total Requests by surface and result.\n");
    text.append("# TYPE runnel_receptions_total counter\n");
    requestMetrics
        .byLabels()
        .forEach(
            (labels, count) ->
                text.append("runnel_receptions_total{%s} %d\n".formatted(labels, count)));
    text.append("# HELP runnel_deliveries_not_stored_total Answered 503, to be sent again.\n");
    text.append("# TYPE runnel_deliveries_not_stored_total counter\n");
    text.append("runnel_deliveries_not_stored_total %d\n".formatted(requestMetrics.notStored()));
    gauges
        .get()
        .forEach(
            (name, value) -> text.append("# TYPE %s gauge\n%s %d\n".formatted(name, name, value)));
    return text.toString();
  }
}
