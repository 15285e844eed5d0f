package dev.runnel.core.model;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Words that the run service keeps for a run, and that the agent does not have yet.
///
/// @param id the delivery they came with
/// @param words their beginning
/// @param messages those that said them, for a sign of receipt on each
/// @param keptAt the run's last change when it had them, by the service's clock: an older look at
///     it knows nothing of them
public record PendingReply(
    DeliveryId id, String words, List<PostRef> messages, Optional<Instant> keptAt) {
  public PendingReply {
    messages = List.copyOf(messages);
  }
}
