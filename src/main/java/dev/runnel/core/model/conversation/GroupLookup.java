package dev.runnel.core.model.conversation;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/// Which groups of a platform contain a person.
public sealed interface GroupLookup {
  GroupLookup NONE = new Known(Set.of());

  /// @param names the groups, as they were asked for
  record Known(Set<String> names) implements GroupLookup {
    public Known {
      names = Set.copyOf(names);
    }
  }

  /// The platform could not be asked.
  ///
  /// @param retryAfter the pause that the platform asked for; empty if it asked for none
  /// @param why for the log
  record Unknown(Optional<Duration> retryAfter, String why) implements GroupLookup {}
}
