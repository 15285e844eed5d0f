package dev.runnel.service.run;

/// Receives what callers of the API change in the service itself and what they do with runs, for an
/// audit log. Called on the thread of the request: after a change, and before content is sent. Must
/// not throw.
@FunctionalInterface
public interface ChangeListener {
  /// Ignores all changes.
  ChangeListener NONE = (_, _, _) -> {};

  /// What was changed.
  enum Kind {
    KEY,
    SCHEDULE
  }

  /// @param caller who changed it
  /// @param what a short description of the change, without secrets: `made "ci", scope runs`
  void changed(Caller caller, Kind kind, String what);

  /// What a caller does to a run.
  enum Action {
    START,
    SAY,
    STOP
  }

  /// @param caller who did it; a repeated request counts again
  default void acted(Caller caller, Action action, String runId) {}

  /// @param caller who reads a transcript or a file
  /// @param runId the run that it belongs to
  default void read(Caller caller, String runId) {}
}
