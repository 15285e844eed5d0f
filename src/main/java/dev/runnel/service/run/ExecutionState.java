package dev.runnel.service.run;

/// The state of a run. The names equal the wire states; this service uses seven of the nine.
public enum ExecutionState {
  QUEUED,
  INPROGRESS,
  /// The agent asked a question and waits for an answer.
  BLOCKED,
  SUCCEEDED,
  /// Failed for a cause on the agent's or the caller's side.
  FAILED,
  /// Failed for a cause on the service's side.
  ERROR,
  CANCELLED
}
