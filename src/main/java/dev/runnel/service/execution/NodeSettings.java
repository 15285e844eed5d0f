package dev.runnel.service.execution;

import dev.runnel.service.run.NodeIdentity;
import dev.runnel.service.store.SlotLimits;
import dev.runnel.service.workspace.Snapshots;
import java.time.Duration;
import java.util.Optional;

/// How this process shares runs with other nodes.
///
/// @param lease how long other nodes wait for this process before they consider it lost
/// @param limits limits of concurrent executions at each depth, in addition to the slots of each
///   node
/// @param snapshots snapshots of workspaces for other nodes; empty for none
public record NodeSettings(
    NodeIdentity identity, Duration lease, SlotLimits limits, Optional<Snapshots> snapshots) {
  public static final Duration DEFAULT_LEASE = Duration.ofMinutes(1);

  /// For an embedded database.
  public static final NodeSettings ALONE =
      new NodeSettings(NodeIdentity.ALONE, DEFAULT_LEASE, SlotLimits.DEFAULT, Optional.empty());

  public NodeSettings {
    if (lease.compareTo(Duration.ofSeconds(2)) < 0) {
      throw new IllegalArgumentException("A lease takes at least 2 seconds, not " + lease);
    }
  }
}
