package dev.runnel.console.view;

import dev.runnel.console.detail.Decision;
import dev.runnel.console.detail.RunFacts;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.DeliveryTrace;
import dev.runnel.core.port.RunCatalog;
import dev.runnel.core.port.Store;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// Reads the facts about a run from the run service and the inbox.
///
/// @param redaction removes secrets from messages
public record RunFactsReader(
    RunCatalog catalog, Store store, UnaryOperator<String> redaction, InstantSource clock) {
  private static final int DECISIONS = 20;

  /// The facts for somebody who is not signed in, without the messages of people.
  public RunFacts withoutMessages(RunView run) {
    return new RunFacts(
        run.run().id(), catalog.details(run.run().id()), List.of(), clock.instant());
  }

  public RunFacts of(RunView run) {
    var now = clock.instant();
    return new RunFacts(
        run.run().id(),
        catalog.details(run.run().id()),
        run.binding().map(it -> decisions(it, now)).orElse(List.of()),
        now);
  }

  private List<Decision> decisions(Binding binding, Instant now) {
    return store
        .<List<DeliveryTrace>>commit(
            work -> work.inbox().traces(binding.conversation(), Optional.empty(), DECISIONS))
        .stream()
        .map(it -> Decision.of(it, binding.requester(), redaction, now))
        .toList();
  }
}
