package dev.runnel.app.server;

import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.HealthCheck;
import dev.runnel.core.text.RunTexts;
import dev.runnel.store.DatabaseHealth;
import dev.runnel.surface.ConnectedPlatform;
import dev.runnel.surface.ConnectionCheck;
import dev.runnel.web.RequestMetrics;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Checks the components of a running Runnel, for the command `doctor`.
final class ComponentHealthCheck implements HealthCheck {
  /// An id that no run has; a service that answers "not found" works.
  private static final RunId UNKNOWN_RUN = new RunId("00000000-0000-0000-0000-000000000000");

  private static final Duration MAX_DELAY = Duration.ofMinutes(2);

  private final DatabaseHealth databaseHealth;
  private final AgentRuns runs;
  private final Platforms platforms;
  private final InstantSource clock;
  private final DeliveryFindings deliveries;
  private final AtomicReference<@Nullable Instant> lastWatch = new AtomicReference<>();

  ComponentHealthCheck(
      DatabaseHealth databaseHealth,
      AgentRuns runs,
      Platforms platforms,
      RequestMetrics requests,
      InstantSource clock) {
    this.databaseHealth = databaseHealth;
    this.runs = runs;
    this.platforms = platforms;
    this.clock = clock;
    this.deliveries = new DeliveryFindings(requests, clock.instant());
  }

  /// Wraps the watcher's step to record when it last ran.
  Function<Instant, Optional<Instant>> watching(Function<Instant, Optional<Instant>> step) {
    return now -> {
      var next = step.apply(now);
      lastWatch.set(clock.instant());
      return next;
    };
  }

  @Override
  public List<Finding> findings() {
    var findings = new ArrayList<Finding>();
    findings.add(finding("Database", databaseHealth.problem()));
    findings.add(agents());
    for (var platform : platforms.all()) {
      platform
          .connected()
          .map(ConnectedPlatform::check)
          .orElse(List.of())
          .forEach(each -> findings.add(finding(platform.definition().name(), each)));
      if (platform.connected().isPresent()) {
        var definition = platform.definition();
        findings.add(deliveries.of(definition.id(), definition.name(), clock.instant()));
      }
    }
    var gauges = databaseHealth.gauges();
    findings.add(watcher(gauges));
    // The `doctor` command itself is in the queue.
    findings.add(queue("Messages", "inbox", 1, gauges));
    findings.add(queue("Posts", "outbox", 0, gauges));
    return findings;
  }

  private static Finding finding(String what, ConnectionCheck checked) {
    return new Finding(what, checked.isOk(), checked.text());
  }

  private static Finding finding(String what, Optional<String> problem) {
    return new Finding(what, problem.isEmpty(), problem.orElse("answers"));
  }

  private Finding agents() {
    return switch (runs.find(UNKNOWN_RUN)) {
      case Outcome.Missing _, Outcome.Done _ -> new Finding("Agents", true, "the service answers");
      case Outcome.Refused(_, var why, _) -> new Finding("Agents", false, why);
      case Outcome.Unavailable _ ->
          new Finding("Agents", false, "the service does not respond; requests wait");
    };
  }

  private Finding watcher(Map<String, Long> gauges) {
    var active = gauges.getOrDefault("runnel_runs_active", 0L);
    var last = lastWatch.get();
    var age = last == null ? null : Duration.between(last, clock.instant());
    if (active == 0) {
      return new Finding("Watcher", true, "no run to watch");
    }
    var what = active == 1 ? "1 run" : active + " runs";
    return age == null
        ? new Finding("Watcher", true, what + ", watched by another node")
        : new Finding(
            "Watcher",
            age.compareTo(MAX_DELAY) < 0,
            "%s, checked %s ago".formatted(what, RunTexts.elapsed(age)));
  }

  private static Finding queue(String what, String table, int own, Map<String, Long> gauges) {
    var prefix = "runnel_" + table;
    var waiting = Math.max(0, gauges.getOrDefault(prefix + "_waiting", 0L) - own);
    var parked = gauges.getOrDefault(prefix + "_parked", 0L);
    var oldest = Duration.ofSeconds(gauges.getOrDefault(prefix + "_oldest_seconds", 0L));
    var text =
        waiting == 0
            ? "none wait"
            : "%d wait, the oldest for %s".formatted(waiting, RunTexts.elapsed(oldest));
    return new Finding(
        what,
        parked == 0 && oldest.compareTo(MAX_DELAY) < 0,
        parked == 0 ? text : text + "; gave up on %d, see the console".formatted(parked));
  }
}
