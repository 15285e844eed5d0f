package dev.runnel.service.run;

/// Is told what callers of the API change about the service itself, for an audit log. Called after
/// the change, on the thread of the request; must not throw.
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
}
