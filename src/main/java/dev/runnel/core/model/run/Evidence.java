package dev.runnel.core.model.run;

import java.util.List;
import java.util.Optional;

/// What the run service itself saw of a run's last execution, whatever the agent says.
///
/// @param changed number of files that were changed
/// @param commits number of commits that were made
/// @param tests the commands that ran tests, in order; empty if it is not known which commands ran
/// @param mismatch how the agent's answer differs from this
public record Evidence(
    int changed, int commits, Optional<List<TestRun>> tests, Optional<Mismatch> mismatch) {
  public Evidence {
    tests = tests.map(List::copyOf);
  }

  /// @param exit the exit status; empty if unknown
  public record TestRun(String command, Optional<Integer> exit) {}

  /// What the agent says and nobody saw.
  public enum Mismatch {
    /// It says that tests pass, and no command ran tests.
    NONE_RAN,
    /// It says that tests pass, and the last command that ran tests failed.
    FAILED
  }
}
