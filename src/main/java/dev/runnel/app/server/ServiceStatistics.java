package dev.runnel.app.server;

import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.RunStatistics;
import dev.runnel.service.AgentRunService;
import dev.runnel.service.run.ExecutionState;
import dev.runnel.service.run.RunNumbers;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Maps the embedded service's numbers to the core's types; neither package knows the other.
record ServiceStatistics(AgentRunService service) implements RunStatistics {
  @Override
  public Optional<List<Fact>> between(Instant from, Instant to) {
    Map<String, String> names = new HashMap<>();
    return Optional.of(
        service.numbers(from, to).stream()
            .map(it -> fact(it, names.computeIfAbsent(it.environment(), service::environmentName)))
            .toList());
  }

  @Override
  public Optional<Set<LocalDate>> daysChangedSince(Instant from) {
    return Optional.of(service.daysChangedSince(from));
  }

  private static Fact fact(RunNumbers run, String environment) {
    return new Fact(
        run.createdAt(),
        run.startedAt(),
        run.worked(),
        state(run.state()),
        run.source(),
        environment,
        run.model(),
        run.usage().flatMap(it -> it.dollars()).map(ServiceStatistics::micros).orElse(0L));
  }

  private static long micros(BigDecimal dollars) {
    return dollars.movePointRight(6).longValue();
  }

  private static RunState state(ExecutionState state) {
    return switch (state) {
      case QUEUED -> RunState.QUEUED;
      case INPROGRESS -> RunState.RUNNING;
      case BLOCKED -> RunState.BLOCKED;
      case SUCCEEDED -> RunState.SUCCEEDED;
      case FAILED, ERROR -> RunState.FAILED;
      case CANCELLED -> RunState.CANCELLED;
    };
  }
}
