package dev.runnel.core.flow;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Origin;
import dev.runnel.core.model.PostRef;
import dev.runnel.core.port.Store.Pending;
import dev.runnel.core.port.Store.Work;
import java.util.Optional;

/// A stop may point at a message: the one that asked for the run, or the run's status post. It is
/// worked on in the conversation of what it points at.
final class Pointers {
  private static final int NEARBY = 100;

  private Pointers() {}

  /// @return the same as a stop that is said where it belongs; empty where it points at nothing of
  ///     ours
  static Optional<Delivery> stop(Work work, Delivery delivery, PostRef post) {
    return running(work, delivery.conversation(), post)
        .or(() -> waiting(work, delivery.conversation(), post))
        .map(conversation -> stopIn(conversation, delivery));
  }

  private static Delivery stopIn(Conversation conversation, Delivery delivery) {
    var origin = delivery.origin();
    return new Delivery(
        delivery.id(),
        delivery.meaning(),
        conversation,
        delivery.actor(),
        new Intent.Cancel(Optional.empty(), Optional.empty()),
        false,
        new Origin(origin.link(), origin.replyTo(), Optional.empty(), false),
        delivery.arrivedAt());
  }

  private static Optional<Conversation> running(Work work, Conversation around, PostRef post) {
    return work.bindings().recent(Optional.of(around.surface()), around.place(), NEARBY).stream()
        .filter(binding -> isMeant(binding, around, post))
        .map(Binding::conversation)
        .findFirst();
  }

  /// A thread that we opened has no message that asked for it but its first.
  private static boolean isMeant(Binding binding, Conversation around, PostRef post) {
    return binding.status().equals(Optional.of(post))
        || binding.origin().message().equals(Optional.of(post))
        || (binding.origin().message().isEmpty() && binding.conversation().equals(around));
  }

  private static Optional<Conversation> waiting(Work work, Conversation around, PostRef post) {
    return work.inbox().waitingNear(around).stream()
        .map(Pending::item)
        .filter(
            each ->
                each.origin().message().equals(Optional.of(post))
                    || (each.intent() instanceof Intent.Start
                        && each.origin().message().isEmpty()
                        && each.conversation().equals(around)))
        .map(Delivery::conversation)
        .findFirst();
  }
}
