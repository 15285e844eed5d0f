package dev.runnel.core.port;

import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.conversation.Conversation;
import java.time.Instant;
import java.util.List;

/// Lists what a platform has, to find deliveries that never arrived.
@FunctionalInterface
public interface MissedDeliverySource {
  MissedDeliverySource NONE = (_, _) -> MissedDeliveries.Listed.NOTHING;

  /// Messages since an instant, as the platform lists them, delivered or not. Bounded: what a very
  /// long list omits is not recovered.
  ///
  /// @param conversations the conversations of the latest runs, to check
  MissedDeliveries since(Instant since, List<Conversation> conversations);
}
