package dev.runnel.core.model.conversation;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/// Which groups of a platform contain a person.
public sealed interface GroupLookup {
  GroupLookup NONE = new Known(Set.of());

  /// @param names the groups, as requested
  record Known(Set<String> names) implements GroupLookup {
    public Known {
      names = Set.copyOf(names);
    }
  }

  /// The platform could not be queried.
  ///
  /// @param retryAfter the platform's `Retry-After`; empty if it sent none
  /// @param why for the log
  record Unknown(Optional<Duration> retryAfter, String why) implements GroupLookup {}
}
