package dev.runnel.runs;

import dev.runnel.core.model.run.RunState;
import dev.runnel.wire.RunStateValue;
import java.util.List;

/// Maps wire states to core states.
final class RunStates {
  /// The states in which a run can still change by itself or by an answer.
  static final List<RunStateValue> UNFINISHED =
      List.of(
          RunStateValue.QUEUED,
          RunStateValue.PENDING,
          RunStateValue.CLAIMED,
          RunStateValue.INPROGRESS,
          RunStateValue.BLOCKED);

  private RunStates() {}

  static RunState of(RunStateValue state) {
    return switch (state.value()) {
      case "QUEUED", "PENDING", "CLAIMED" -> RunState.QUEUED;
      case "INPROGRESS" -> RunState.RUNNING;
      case "BLOCKED" -> RunState.BLOCKED;
      case "SUCCEEDED" -> RunState.SUCCEEDED;
      case "FAILED", "ERROR" -> RunState.FAILED;
      case "CANCELLED" -> RunState.CANCELLED;
      default -> RunState.UNKNOWN;
    };
  }
}
