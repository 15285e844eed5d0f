package dev.runnel.core.model;

import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.PostRef;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// A reply that the run service has queued for a run and the agent has not received yet.
///
/// @param id the delivery of the reply
/// @param words its text, cut if it is very long
/// @param messages the messages it consists of, to set a status reaction on each
/// @param keptAt the run's `updatedAt` when the service queued the reply, by the service's clock:
///   an older read of the run does not include the reply
public record PendingReply(
    DeliveryId id, String words, List<PostRef> messages, Optional<Instant> keptAt) {
  public PendingReply {
    messages = List.copyOf(messages);
  }
}
