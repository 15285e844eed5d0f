package dev.runnel.service;

import dev.runnel.service.agent.Agents;
import dev.runnel.service.run.Factory;
import dev.runnel.service.store.ApiKeys;
import dev.runnel.service.store.Identities;
import dev.runnel.service.store.NodeMembership;
import dev.runnel.service.store.Schedules;
import dev.runnel.service.workspace.Environments;
import java.util.List;

/// The resources of the service besides runs, for its operators.
public record Inventory(
    Environments environments,
    Agents agents,
    Identities identities,
    List<Factory> factories,
    Schedules schedules,
    ApiKeys keys,
    NodeMembership membership) {
  public Inventory {
    factories = List.copyOf(factories);
  }
}
