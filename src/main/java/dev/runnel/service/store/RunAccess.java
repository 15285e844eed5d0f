package dev.runnel.service.store;

import dev.runnel.service.run.Caller;
import dev.runnel.service.run.RequestProblem;

/// Decides which runs a caller may access: a key with scope `below` only gives access to the runs
/// below its own run.
public record RunAccess(RunQueries index) {
  /// @param orItself whether the key's own run is allowed, too
  public boolean isOpen(Caller caller, String runId, boolean orItself) {
    return !(caller.scope() instanceof Caller.Scope.Below(String parent))
        || (orItself && parent.equals(runId))
        || index.isBelow(runId, parent);
  }

  /// @throws RequestProblem "not found" if the caller may not access the run
  public void require(Caller caller, String runId, boolean orItself) {
    if (!isOpen(caller, runId, orItself)) {
      throw RequestProblem.noRun();
    }
  }
}
