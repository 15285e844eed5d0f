package dev.runnel.core.model.run;

/// A run's state, mapped from the run service's nine open states. Callers ask its predicates
/// instead of listing states.
public enum RunState {
  QUEUED,
  RUNNING,
  BLOCKED,
  SUCCEEDED,
  FAILED,
  CANCELLED,
  /// A state unknown to this version. The service's name for it is shown, and the run is still
  /// watched.
  UNKNOWN;

  /// Ended, though a follow-up may reopen it.
  public boolean isTerminal() {
    return switch (this) {
      case SUCCEEDED, FAILED, CANCELLED -> true;
      case QUEUED, RUNNING, BLOCKED, UNKNOWN -> false;
    };
  }

  public boolean needsPerson() {
    return this == BLOCKED;
  }

  /// Whether it may progress by itself: it has not ended, and waits for no person.
  public boolean isInProgress() {
    return !isTerminal() && !needsPerson();
  }
}
