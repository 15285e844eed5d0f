package dev.runnel.service.run;

/// Is told what callers of the API change about the service itself, and what they read of runs, for
/// an audit log. Called on the thread of the request, after a change and before what is read is
/// sent; must not throw.
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
  /// @param what the change in a few words, without secrets: `made "ci", scope runs`
  void changed(Caller caller, Kind kind, String what);

  /// @param caller who reads a transcript or a file
  /// @param runId the run that it is of
  default void read(Caller caller, String runId) {}
}
