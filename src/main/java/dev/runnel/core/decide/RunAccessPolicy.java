package dev.runnel.core.decide;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Question;
import dev.runnel.core.scope.ConversationScope;
import dev.runnel.core.scope.Defaults;
import java.util.Optional;

/// Whose runs a person may name: to ask about, to steer, to stop. In the channel or repository of a
/// run everybody may, as in its thread. Elsewhere people need not be able to read there, so that
/// only who asked for it may, and the admins. Pure.
public final class RunAccessPolicy {
  private final Defaults defaults;

  public RunAccessPolicy(Defaults defaults) {
    this.defaults = defaults;
  }

  /// @param named the run that the delivery names
  /// @return who may, for who may not
  public Optional<String> refusal(Delivery delivery, Optional<Binding> named) {
    return named
        .filter(binding -> !mayName(delivery, binding))
        .map(
            _ ->
                "That run belongs to another place. Only the people there can see and steer it, and"
                    + " who asked for it"
                    + (defaults.admins().isEmpty() ? "." : ", and the admins."));
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
