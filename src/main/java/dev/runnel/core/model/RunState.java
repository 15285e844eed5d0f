package dev.runnel.core.model;

/// How a run is doing, folded from the run service's nine open states. They answer questions about
/// themselves, so that nobody lists them again.
public enum RunState {
  QUEUED,
  RUNNING,
  BLOCKED,
  SUCCEEDED,
  FAILED,
  CANCELLED,
  /// A state this version has no name for. It is shown by the service's word and watched on.
  UNKNOWN;

  /// Over for now: a follow-up may still reopen it.
  public boolean isTerminal() {
    return switch (this) {
      case SUCCEEDED, FAILED, CANCELLED -> true;
      case QUEUED, RUNNING, BLOCKED, UNKNOWN -> false;
    };
  }

  public boolean needsPerson() {
    return this == BLOCKED;
  }
}
