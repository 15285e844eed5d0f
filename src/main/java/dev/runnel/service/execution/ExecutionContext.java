package dev.runnel.service.execution;

import dev.runnel.service.agent.Agents;
import dev.runnel.service.isolation.RunShares;
import dev.runnel.service.process.Spawner;
import dev.runnel.service.store.ApiKeys;
import dev.runnel.service.store.ExecutionRecords;
import dev.runnel.service.store.RunQueries;
import dev.runnel.service.store.RunWatchers;
import dev.runnel.service.workspace.Snapshots;
import dev.runnel.service.workspace.Workspaces;
import java.util.Optional;

/// What all executions of a node have in common.
///
/// @param keys issues the keys of agents that start other runs
/// @param snapshots snapshots of workspaces for other nodes; empty for none
/// @param memory a part for each execution
/// @param place see [dev.runnel.service.run.NodeIdentity#place]
public record ExecutionContext(
    Spawner spawner,
    Agents agents,
    ApiKeys keys,
    ServiceSettings settings,
    ExecutionRecords records,
    RunQueries queries,
    RunWatchers watchers,
    Workspaces workspaces,
    Optional<Snapshots> snapshots,
    RunShares memory,
    String place) {}
