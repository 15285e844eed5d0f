package dev.runnel.core.decide;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Question;
import dev.runnel.core.scope.ConversationScope;
import dev.runnel.core.scope.Defaults;
import java.util.Optional;

/// Decides which runs a person may name, to ask about them, steer them or stop them. In the channel
/// or repository of a run everybody may, as in its thread. Elsewhere only its requester and the
/// admins may, because other people may have no access to the run's thread. Pure.
public final class RunAccessPolicy {
  private final Defaults defaults;

  public RunAccessPolicy(Defaults defaults) {
    this.defaults = defaults;
  }

  /// @param named the run that the delivery names
  /// @return the message that says who may; empty if the sender may
  public Optional<String> refusal(Delivery delivery, Optional<Binding> named) {
    return named
        .filter(binding -> !mayName(delivery, binding))
        .map(
            _ ->
                "That run belongs to another place. Only the people there and its requester can see"
                    + " and steer it"
                    + (defaults.admins().isEmpty() ? "." : ". So can the admins."));
  }

  boolean mayName(Delivery delivery, Binding binding) {
    var here = delivery.conversation();
    var there = binding.conversation();
    var isTheirs =
        here.surface().equals(there.surface())
            && (ConversationScope.isIn(there, ConversationScope.here(here))
                || delivery.actor().id().equals(binding.requester().id()));
    return isTheirs || defaults.maySet(Question.Configure.Level.WORKSPACE, here, delivery.actor());
  }
}
