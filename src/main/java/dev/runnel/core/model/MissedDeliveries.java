package dev.runnel.core.model;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Messages as listed by a platform, to be compared with what it delivered.
public sealed interface MissedDeliveries {
  /// @param all delivered or not, in chronological order
  /// @param unread why some of the lists could not be read; empty if all were read
  /// @param continueAt where the next check has to continue, because there were too many messages
  ///   for this one: when the first place that was left out was changed, by the platform's clock;
  ///   empty if all were read
  record Listed(List<ListedDelivery> all, Optional<String> unread, Optional<Instant> continueAt)
      implements MissedDeliveries {
    public static final Listed NOTHING = new Listed(List.of());

    public Listed {
      all = List.copyOf(all);
    }

    public Listed(List<ListedDelivery> all) {
      this(all, Optional.empty(), Optional.empty());
    }
  }

  /// The platform could not be read.
  record Unknown(Optional<Duration> retryAfter, String why) implements MissedDeliveries {}

  /// @param at when it was sent, by the platform's clock
  /// @param sameMeaning whether its webhook delivery carries the same semantic key; otherwise the
  ///   two are matched by kind and time
  record ListedDelivery(Delivery delivery, Instant at, boolean sameMeaning) {}
}
