package dev.runnel.service.store;

import dev.runnel.service.run.Caller;
import dev.runnel.service.run.RequestProblem;

/// Decides which runs a caller may access: a key with scope `below` only gives access to the
/// descendants of its own run.
public record RunAccess(RunQueries queries) {
  /// @param includeOwnRun whether the key's own run is allowed, too
  public boolean mayAccess(Caller caller, String runId, boolean includeOwnRun) {
    return !(caller.scope() instanceof Caller.Scope.Below(String parent))
        || (includeOwnRun && parent.equals(runId))
        || queries.isBelow(runId, parent);
  }

  /// @throws RequestProblem "not found" if the caller may not access the run
  public void require(Caller caller, String runId, boolean includeOwnRun) {
    if (!mayAccess(caller, runId, includeOwnRun)) {
      throw RequestProblem.noRun();
    }
  }
}
