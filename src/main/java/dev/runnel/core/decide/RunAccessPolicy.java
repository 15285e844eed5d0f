package dev.runnel.core.decide;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.scope.ConversationScope;
import dev.runnel.core.scope.Defaults;
import java.util.Optional;

/// Decides which runs a person may name, to ask about them, steer them or stop them. In the channel
/// or repository of a run everybody may, as in its thread. Elsewhere only its requester and the
/// admins may, because other people may have no access to the run's thread. Pure.
public record RunAccessPolicy(Defaults defaults) {
  /// @param named the run that the delivery names
  /// @return the message that says who may; empty if the sender may
  public Optional<String> refusal(Delivery delivery, Optional<Binding> named) {
    return named
        .filter(binding -> !mayName(delivery, binding))
        .filter(binding -> !isFirstLink(delivery, binding))
        .map(_ -> refusal());
  }

  /// The message that says who may.
  public String refusal() {
    return "That run is from another channel or repository. Only its people"
        + (defaults.admins().isEmpty()
            ? " and the person who asked for it"
            : ", the person who asked for it, and admins")
        + " can see and steer it.";
  }

  /// Whether it gives a thread to a run that has none, as if nobody in the console had written to
  /// the run.
  private static boolean isFirstLink(Delivery delivery, Binding binding) {
    return delivery.intent() instanceof Intent.Link && binding.place().isEmpty();
  }

  /// Whether the sender may have the run posted about in another conversation. A run that a
  /// conversation or another run started is part of that one's work, also while it has no binding,
  /// so only admins may link it.
  public boolean mayLink(Delivery delivery, Run run, Optional<Binding> binding) {
    var hasPlace = binding.flatMap(Binding::place).isPresent();
    if (!hasPlace && (run.parent().isPresent() || run.delivery().isPresent())) {
      return isAdmin(delivery);
    }
    return refusal(delivery, binding).isEmpty();
  }

  /// Whether the sender may name the run.
  public boolean mayName(Delivery delivery, Binding binding) {
    var here = delivery.conversation();
    var there = binding.conversation();
    var isTheirs =
        here.surface().equals(there.surface())
            && (ConversationScope.isIn(there, ConversationScope.here(here))
                || delivery.actor().id().equals(binding.requester().id()));
    return isTheirs || isAdmin(delivery);
  }

  private boolean isAdmin(Delivery delivery) {
    return defaults.maySet(
        Question.Configure.Level.WORKSPACE, delivery.conversation(), delivery.actor());
  }
}
