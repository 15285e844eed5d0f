package dev.runnel.core.model.run;

import java.util.List;
import java.util.Optional;

/// What the run service itself observed of a run's last execution, independently of the agent's
/// answer.
///
/// @param changed number of files that were changed
/// @param commits number of commits that were made
/// @param tests the commands that ran tests, in order, as the agent program reports them; empty if
///   it reports no commands
/// @param mismatch how the agent's answer contradicts this
public record Evidence(
    int changed, int commits, Optional<List<TestRun>> tests, Optional<Mismatch> mismatch) {
  public Evidence {
    tests = tests.map(List::copyOf);
  }

  /// @param exit the exit status; empty if unknown
  public record TestRun(String command, Optional<Integer> exit) {}

  /// A claim of the agent that contradicts what was observed.
  public enum Mismatch {
    /// The agent claims that tests pass, but its program reports no command that ran tests.
    NONE_RAN,
    /// The agent claims that tests pass, but its program reports that the last command that ran
    /// tests failed.
    FAILED
  }
}
