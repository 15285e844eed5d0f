package dev.runnel.runs;

import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.RunCatalog.Execution;
import dev.runnel.wire.TimelineEvent;
import dev.runnel.wire.TimelineEventType;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Reads a run's executions from its timeline.
final class Executions {
  private static final Map<TimelineEventType, RunState> ENDS =
      Map.of(
          TimelineEventType.OZ_RUN_DONE, RunState.SUCCEEDED,
          TimelineEventType.OZ_RUN_BLOCKED, RunState.BLOCKED,
          TimelineEventType.OZ_RUN_CANCELLED, RunState.CANCELLED,
          TimelineEventType.OZ_RUN_FAILED, RunState.FAILED,
          TimelineEventType.OZ_RUN_ERRORED, RunState.FAILED);

  private Executions() {}

  /// @param events oldest first; those without an execution are left out
  static List<Execution> of(List<TimelineEvent> events) {
    var executions = new TreeMap<Long, Execution>();
    for (var event : events) {
      var number = event.executionId();
      var type = event.eventType();
      if (number == null || type == null) {
        continue;
      }
      var before =
          executions.getOrDefault(
              number,
              new Execution(
                  number, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty()));
      executions.put(number, with(before, type, Optional.ofNullable(event.occurredAt())));
    }
    return List.copyOf(executions.values());
  }

  private static Execution with(Execution known, TimelineEventType type, Optional<Instant> at) {
    var claimed =
        type.equals(TimelineEventType.OZ_RUN_CLAIMED)
            ? known.claimedAt().or(() -> at)
            : known.claimedAt();
    var started =
        type.equals(TimelineEventType.AGENT_STARTED)
            ? known.startedAt().or(() -> at)
            : known.startedAt();
    var end = Optional.ofNullable(ENDS.get(type));
    return new Execution(
        known.number(),
        claimed,
        started,
        end.isPresent() ? at : known.endedAt(),
        end.isPresent() ? end : known.end());
  }
}
