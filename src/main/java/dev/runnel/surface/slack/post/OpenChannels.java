package dev.runnel.surface.slack.post;

import dev.runnel.surface.kit.BoundedCaches;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;

/// The channel that each user has open beside the agent, as reported by Slack. A hint for the
/// agent, kept in memory for 30 minutes.
///
/// @implSpec Thread-safe.
public final class OpenChannels {
  private static final Duration MAX_AGE = Duration.ofMinutes(30);
  private static final int MAX = 10_000;

  private record Entry(String channel, Instant at) {}

  private final InstantSource clock;
  private final Map<String, Entry> entries = BoundedCaches.map(MAX);

  OpenChannels(InstantSource clock) {
    this.clock = clock;
  }

  /// @param channel empty when none is open
  void set(String team, String user, Optional<String> channel) {
    channel.ifPresentOrElse(
        it -> entries.put(key(team, user), new Entry(it, clock.instant())),
        () -> entries.remove(key(team, user)));
  }

  /// The id of the channel that the user has open; empty if unknown.
  public Optional<String> of(String team, String user) {
    return Optional.ofNullable(entries.get(key(team, user)))
        .filter(it -> it.at().plus(MAX_AGE).isAfter(clock.instant()))
        .map(Entry::channel);
  }

  private static String key(String team, String user) {
    return team + "/" + user;
  }
}
