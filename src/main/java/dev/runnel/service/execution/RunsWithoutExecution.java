package dev.runnel.service.execution;

import dev.runnel.service.store.RunTable;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/// Finds runs in progress that have no execution in this process. A run must be seen twice, because
/// there is a short delay between claiming a run and registering its execution. Not thread-safe.
final class RunsWithoutExecution {
  private record Sighting(String runId, int execution, String claim) {}

  private Set<Sighting> previous = Set.of();

  /// @param inProgress the runs that are in progress now
  /// @param isExecuting whether a run has an execution; evaluated after `inProgress` was read
  /// @return the runs that had no execution in this check and the one before
  List<RunTable.ClaimedExecution> findOrphaned(
      List<RunTable.ClaimedExecution> inProgress, Predicate<String> isExecuting) {
    var current = new HashSet<Sighting>();
    var orphaned =
        inProgress.stream()
            .filter(run -> !isExecuting.test(run.runId()))
            .filter(
                run -> {
                  var sighting = new Sighting(run.runId(), run.execution(), run.claim());
                  current.add(sighting);
                  return previous.contains(sighting);
                })
            .toList();
    previous = current;
    return orphaned;
  }
}
