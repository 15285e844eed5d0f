package dev.runnel.core.port;

import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.conversation.Conversation;
import java.time.Instant;
import java.util.List;

/// Lists what a platform has, to find deliveries that never arrived.
@FunctionalInterface
public interface MissedDeliverySource {
  MissedDeliverySource NONE = (_, _, _) -> MissedDeliveries.Listed.NOTHING;

  /// Messages since an instant, as the platform lists them, delivered or not. Bounded: a long list
  /// is continued by further calls, and what a very long list omits is not recovered.
  ///
  /// @param from where the earlier check of a long list stopped: only places that changed since
  ///   then are read, with their messages since `since`
  /// @param conversations the conversations of the latest runs, to check
  MissedDeliveries since(Instant since, Instant from, List<Conversation> conversations);

  /// The same, from the beginning.
  default MissedDeliveries since(Instant since, List<Conversation> conversations) {
    return since(since, since, conversations);
  }
}
