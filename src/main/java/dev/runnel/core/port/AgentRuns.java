package dev.runnel.core.port;

import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.FileContent;
import dev.runnel.core.model.run.Arrival;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Prompt;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunFile;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunListing;
import java.time.Instant;
import java.util.Optional;

/// The run service, in the core's types. No method throws for a failure of the service or the
/// network: the failure is an [Outcome] or a [RunListing].
public interface AgentRuns {
  /// Starts a run that carries `key` as its `runnel.delivery` metadata.
  Outcome start(Prompt prompt, DeliveryId key);

  /// Finds the run that carries the key. `Missing` proves that the start did not happen.
  ///
  /// @param since the earliest time of the first attempt to start
  /// @param words the text that its prompt begins with, for services that do not return a run's
  ///   metadata
  Outcome findStarted(DeliveryId key, Instant since, Optional<String> words);

  /// Steers, answers or reopens a run.
  ///
  /// @param key the delivery that the message comes from, for services that deduplicate requests by
  ///   key
  Outcome followUp(RunId run, String text, DeliveryId key);

  /// Like [#followUp], but interrupts a working agent, which continues with the message. A service
  /// that cannot do that queues the message.
  Outcome interrupt(RunId run, String text, DeliveryId key);

  /// Checks whether a follow-up whose response was lost reached its run.
  ///
  /// @param before the run as read before the first attempt to send the follow-up
  /// @param timesSent how often the same text was sent to the run before, its first prompt included
  Arrival followUpArrival(Run before, String text, int timesSent);

  /// Stops a run. `Done` carries the run's state afterwards; a run that had already ended is `Done`
  /// too.
  Outcome cancel(RunId run);

  Outcome find(RunId run);

  /// Reads a file that the run's agent handed over.
  ///
  /// @param maxBytes a larger file is withheld
  FileContent content(RunFile file, long maxBytes);

  /// The runs that changed after an instant of the service's clock.
  RunListing changedSince(Instant since);

  /// All unfinished runs, regardless of when they changed.
  RunListing unfinished();
}
