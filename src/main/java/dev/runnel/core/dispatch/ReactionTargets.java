package dev.runnel.core.dispatch;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.port.Store.Pending;
import dev.runnel.core.port.Store.Work;
import java.util.Optional;

/// Resolves a stop that points to a message: the one that asked for the run, or the run's status
/// post. The stop is processed in the conversation of that run.
final class ReactionTargets {
  private static final int MAX_RUNS_IN_PLACE = 100;

  private ReactionTargets() {}

  /// @return the stop in the run's conversation; empty if the message is not related to a run
  static Optional<Delivery> stop(Work work, Delivery delivery, PostRef post) {
    var here = delivery.conversation();
    return running(work, here, post)
        .map(it -> stop(it.conversation(), Optional.of(it.run().id()), delivery))
        .or(() -> waiting(work, here, post).map(it -> stop(it, Optional.empty(), delivery)));
  }

  /// @param run the run, if known: a thread may have several
  private static Delivery stop(Conversation conversation, Optional<RunId> run, Delivery delivery) {
    var origin = delivery.origin();
    return new Delivery(
        delivery.id(),
        delivery.meaning(),
        conversation,
        delivery.actor(),
        new Intent.Cancel(run, Optional.empty()),
        false,
        new Origin(origin.link(), origin.replyTo(), Optional.empty(), false),
        delivery.arrivedAt());
  }

  private static Optional<Binding> running(Work work, Conversation here, PostRef post) {
    return work
        .bindings()
        .recent(Optional.of(here.surface()), here.place(), MAX_RUNS_IN_PLACE)
        .stream()
        .filter(binding -> isMeant(binding, here, post))
        .findFirst();
  }

  /// In a thread that we opened, only the first message asked for the run.
  private static boolean isMeant(Binding binding, Conversation here, PostRef post) {
    return binding.status().equals(Optional.of(post))
        || binding.origin().message().equals(Optional.of(post))
        || (binding.origin().message().isEmpty() && binding.conversation().equals(here));
  }

  /// Only queued requests for a run count: a queued message to an active run is no such request.
  private static Optional<Conversation> waiting(Work work, Conversation here, PostRef post) {
    return work.inbox().waitingInPlace(here).stream()
        .map(Pending::item)
        .filter(
            each ->
                each.origin().message().equals(Optional.of(post))
                    || (each.intent() instanceof Intent.Start
                        && each.origin().message().isEmpty()
                        && each.conversation().equals(here)))
        .map(Delivery::conversation)
        .filter(it -> work.bindings().of(it).filter(Binding::isActive).isEmpty())
        .findFirst();
  }
}
