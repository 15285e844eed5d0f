package dev.runnel.core.port;

import dev.runnel.core.model.Arrival;
import dev.runnel.core.model.DeliveryId;
import dev.runnel.core.model.Outcome;
import dev.runnel.core.model.Prompt;
import dev.runnel.core.model.Run;
import dev.runnel.core.model.RunId;
import dev.runnel.core.model.RunListing;
import java.time.Instant;
import java.util.Optional;

/// The run service, in the core's words. Nothing here throws for what the service or the network
/// does: it is an [Outcome] or a [RunListing].
public interface AgentRuns {
  /// Starts a run that carries `key` as its `runnel.delivery`.
  Outcome start(Prompt prompt, DeliveryId key);

  /// The run that carries the key: `Missing` shows that the start did not happen.
  ///
  /// @param since the start was not tried before
  /// @param words what its prompt begins with, for services that do not show what a run carries
  Outcome startedBy(DeliveryId key, Instant since, Optional<String> words);

  /// Steers, answers or reopens a run.
  ///
  /// @param key the delivery it comes from, for services that know a repeated request by its key
  Outcome followUp(RunId run, String text, DeliveryId key);

  /// Looks whether a follow-up of which nobody knows reached its run.
  ///
  /// @param before the run as it was read before the follow-up was first tried
  /// @param said how often the run was told the same words before, its first prompt included
  Arrival arrived(Run before, String text, int said);

  /// Stops a run. `Done` carries the run as it then is; a run that had ended already is `Done` too.
  Outcome cancel(RunId run);

  Outcome find(RunId run);

  /// The runs that changed after an instant of the service's clock.
  RunListing changedSince(Instant since);

  /// All unfinished runs, whenever they changed.
  RunListing unfinished();
}
