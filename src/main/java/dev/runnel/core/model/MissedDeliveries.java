package dev.runnel.core.model;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// What a platform lists of what people said, to be compared with what it delivered.
public sealed interface MissedDeliveries {
  /// @param all delivered or not, in the order in which it was said
  /// @param unread why some of the lists were refused; what they hold is not known yet
  record Said(List<Heard> all, Optional<String> unread) implements MissedDeliveries {
    public static final Said NOTHING = new Said(List.of());

    public Said {
      all = List.copyOf(all);
    }

    public Said(List<Heard> all) {
      this(all, Optional.empty());
    }
  }

  /// The platform could not be read.
  record Unknown(Optional<Duration> retryAfter, String why) implements MissedDeliveries {}

  /// @param at when it was said, by the platform's clock
  /// @param sameMeaning whether a delivery of it carries the same semantic key; otherwise it is
  ///     known by its kind and time
  record Heard(Delivery delivery, Instant at, boolean sameMeaning) {}
}
