package dev.runnel.console.view;

import dev.runnel.console.detail.Decision;
import dev.runnel.console.detail.RunFacts;
import dev.runnel.core.model.ApiRuns;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.DeliveryTrace;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
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
        run.place().map(it -> decisions(it, requester(run), now)).orElse(List.of()),
        now);
  }

  private static Actor requester(RunView run) {
    return run.binding().map(Binding::requester).orElse(ApiRuns.REQUESTER);
  }

  private List<Decision> decisions(Conversation place, Actor requester, Instant now) {
    return store
        .<List<DeliveryTrace>>commit(
            work -> work.inbox().traces(place, Optional.empty(), DECISIONS))
        .stream()
        .map(it -> Decision.of(it, requester, redaction, now))
        .toList();
  }
}
