package dev.runnel.service.execution;

import dev.runnel.service.store.RunTable;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/// Tells which runs in progress nobody works on. One look is not enough: between the row that says
/// that a run was claimed and whoever works on it lies a moment. Not for several threads.
final class OrphanedRuns {
  private record Sighting(String runId, int execution) {}

  private Set<Sighting> before = Set.of();

  /// @param inProgress the runs that are in progress now
  /// @param isWorkedOn asked after that
  /// @return those that nobody worked on at this look and the one before
  List<RunTable.Left> look(List<RunTable.Left> inProgress, Predicate<String> isWorkedOn) {
    var now = new HashSet<Sighting>();
    var orphaned =
        inProgress.stream()
            .filter(run -> !isWorkedOn.test(run.runId()))
            .filter(
                run -> {
                  var sighting = new Sighting(run.runId(), run.execution());
                  now.add(sighting);
                  return before.contains(sighting);
                })
            .toList();
    before = now;
    return orphaned;
  }
}
