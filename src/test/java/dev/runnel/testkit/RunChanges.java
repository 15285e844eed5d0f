package dev.runnel.testkit;

import dev.runnel.database.Database;
import dev.runnel.service.store.ExecutionRecords;
import dev.runnel.service.store.NodeMembership;
import dev.runnel.service.store.QueueSignal;
import dev.runnel.service.store.RunService;
import dev.runnel.service.store.RunTransactions;
import dev.runnel.service.store.RunWatchers;
import dev.runnel.service.store.SlotLimits;
import java.time.InstantSource;
import java.util.Map;

/// The changes of runs on one node, without a queue that claims them.
///
/// @param runs what callers ask
/// @param records what executions report
public record RunChanges(RunService runs, ExecutionRecords records) {
  /// On the only node, with one slot and the usual limits.
  public static RunChanges on(Database database, InstantSource clock) {
    return on(database, clock, NodeMembership.alone(database, clock, 1), SlotLimits.DEFAULT);
  }

  public static RunChanges on(
      Database database, InstantSource clock, NodeMembership membership, SlotLimits limits) {
    var transactions = new RunTransactions(database, clock);
    var watchers = new RunWatchers();
    var signal = new QueueSignal();
    return new RunChanges(
        new RunService(transactions, watchers, signal, membership, limits, Map.of()),
        new ExecutionRecords(transactions, watchers, signal, membership, limits));
  }
}
