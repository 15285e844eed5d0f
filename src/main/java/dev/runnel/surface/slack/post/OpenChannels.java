package dev.runnel.surface.slack.post;

import dev.runnel.surface.kit.BoundedCaches;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;

/// Which channel each user has open beside the agent, as reported by Slack. A hint for the agent:
/// kept for 30 minutes in this process's memory, and lost without harm.
///
/// @implSpec Thread-safe.
public final class OpenChannels {
  private static final Duration FRESH = Duration.ofMinutes(30);
  private static final int MAX = 10_000;

  private record Look(String channel, Instant at) {}

  private final InstantSource clock;
  private final Map<String, Look> looks = BoundedCaches.map(MAX);

  OpenChannels(InstantSource clock) {
    this.clock = clock;
  }

  /// @param channel empty when none is open
  void at(String team, String user, Optional<String> channel) {
    channel.ifPresentOrElse(
        it -> looks.put(key(team, user), new Look(it, clock.instant())),
        () -> looks.remove(key(team, user)));
  }

  /// The id of the channel that the user has open; empty if unknown.
  public Optional<String> of(String team, String user) {
    return Optional.ofNullable(looks.get(key(team, user)))
        .filter(it -> it.at().plus(FRESH).isAfter(clock.instant()))
        .map(Look::channel);
  }

  private static String key(String team, String user) {
    return team + "/" + user;
  }
}
