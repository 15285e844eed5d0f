package dev.runnel.core.model;

import java.time.Instant;
import java.util.Optional;

/// What is kept of a delivery's way.
///
/// @param delivery empty when the row cannot be read
/// @param tries how often the work was begun
/// @param dueAt when its next turn is, while it waits
/// @param note what was decided, once it is done
/// @param why what it waits for, or why it was given up
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
