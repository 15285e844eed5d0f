package dev.runnel.service.run;

/// Where a run is. The names are the states on the wire; this service needs seven of the nine.
public enum ExecutionState {
  QUEUED,
  INPROGRESS,
  /// The agent asked something and waits for a person.
  BLOCKED,
  SUCCEEDED,
  /// Failed for a cause on the agent's or the caller's side.
  FAILED,
  /// Failed for a cause on the service's side.
  ERROR,
  CANCELLED
}
