package dev.runnel.service.execution;

import dev.runnel.service.run.NodeIdentity;
import dev.runnel.service.store.SlotLimits;
import dev.runnel.service.workspace.Snapshots;
import java.time.Duration;
import java.util.Optional;

/// How this process shares the runs with others.
///
/// @param lease how long others wait for this process before they take it for lost
/// @param limits of concurrent executions at each depth, besides those of each node
/// @param snapshots where workspaces are kept for other nodes; empty to keep none
public record NodeSettings(
    NodeIdentity identity, Duration lease, SlotLimits limits, Optional<Snapshots> snapshots) {
  public static final Duration USUAL_LEASE = Duration.ofMinutes(1);

  /// For an embedded database.
  public static final NodeSettings ALONE =
      new NodeSettings(NodeIdentity.ALONE, USUAL_LEASE, SlotLimits.USUAL, Optional.empty());

  public NodeSettings {
    if (lease.compareTo(Duration.ofSeconds(2)) < 0) {
      throw new IllegalArgumentException("A lease takes at least 2 seconds, not " + lease);
    }
  }
}
