package dev.runnel.core.model;

import java.util.Set;

/// The run service's report of the replies to a run that no agent has received, by delivery.
///
/// @param waiting replies that the run's next execution gets
/// @param unread replies handed back because the run was stopped, or ended before the agent began
public record Replies(Set<DeliveryId> waiting, Set<DeliveryId> unread) {
  public Replies {
    waiting = Set.copyOf(waiting);
    unread = Set.copyOf(unread);
  }

  /// Whether the agent has not received the reply.
  public boolean hold(DeliveryId reply) {
    return waiting.contains(reply) || unread.contains(reply);
  }
}
