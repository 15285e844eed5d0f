package dev.runnel.service.store;

import dev.runnel.service.run.Caller;
import dev.runnel.service.run.RequestProblem;

/// Which runs a caller gets to see: a key for what is below a run sees nothing else.
public record RunAccess(RunQueries index) {
  /// @param orItself whether the run that the key belongs to will do
  public boolean isOpen(Caller caller, String runId, boolean orItself) {
    return !(caller.scope() instanceof Caller.Scope.Below(String parent))
        || (orItself && parent.equals(runId))
        || index.isBelow(runId, parent);
  }

  /// @throws RequestProblem as if there were no such run
  public void require(Caller caller, String runId, boolean orItself) {
    if (!isOpen(caller, runId, orItself)) {
      throw RequestProblem.noRun();
    }
  }
}
