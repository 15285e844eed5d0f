package dev.runnel.core.model;

import java.time.Instant;
import java.util.Optional;

/// The recorded history of a delivery.
///
/// @param delivery empty when the row cannot be read
/// @param tries number of attempts begun
/// @param dueAt when its next attempt is due, while it waits
/// @param note the decision, once it is done
/// @param why what it waits for, or why it was parked
public record DeliveryTrace(
    Optional<Delivery> delivery,
    State state,
    int tries,
    Instant dueAt,
    Optional<String> note,
    Optional<String> why) {
  public enum State {
    WAITS,
    DONE,
    PARKED
  }
}
