package dev.runnel.core.model;

import java.util.Set;

/// What the run service tells of words that were said to a run and that no agent has, by the
/// deliveries they came with.
///
/// @param waiting what the run's next execution gets
/// @param unread what a stop handed back, or an end that came before the agent began
public record Replies(Set<DeliveryId> waiting, Set<DeliveryId> unread) {
  public Replies {
    waiting = Set.copyOf(waiting);
    unread = Set.copyOf(unread);
  }

  /// Whether the agent does not have it.
  public boolean hold(DeliveryId reply) {
    return waiting.contains(reply) || unread.contains(reply);
  }
}
