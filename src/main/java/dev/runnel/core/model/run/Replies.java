package dev.runnel.core.model.run;

import dev.runnel.core.model.conversation.DeliveryId;
import java.util.Set;

/// The run service's report of the replies to a run that no agent has received, by delivery.
///
/// @param waiting replies that the run's next execution gets
/// @param unread replies handed back because the run was stopped, or ended before the agent began
/// @param offered the waiting replies that a working agent reads at its next step
public record Replies(Set<DeliveryId> waiting, Set<DeliveryId> unread, Set<DeliveryId> offered) {
  public Replies {
    waiting = Set.copyOf(waiting);
    unread = Set.copyOf(unread);
    // Rows of an older version have none.
    offered = offered == null ? Set.of() : Set.copyOf(offered);
  }

  public Replies(Set<DeliveryId> waiting, Set<DeliveryId> unread) {
    this(waiting, unread, Set.of());
  }

  /// A copy in which the reply is offered to the working agent.
  public Replies offering(DeliveryId reply) {
    return new Replies(waiting, unread, Set.of(reply));
  }

  /// Whether the agent has not received the reply.
  public boolean hold(DeliveryId reply) {
    return waiting.contains(reply) || unread.contains(reply);
  }
}
