package dev.runnel.surface.slack.model;

import java.net.URI;
import java.util.Optional;
import java.util.function.Function;

/// Builds permalinks to messages without calling Slack. Pure.
///
/// @param identity the bot's identity by workspace, once known; must return at once
public record SlackPermalinks(Function<String, Optional<SlackIdentity>> identity) {
  /// @param ts of a message in the place's thread, or of its first message
  public Optional<URI> of(SlackPlace place, String ts) {
    return identity
        .apply(place.team())
        .flatMap(SlackIdentity::workspace)
        .map(
            workspace -> {
              var message = "archives/%s/p%s".formatted(place.channel(), ts.replace(".", ""));
              return workspace.resolve(
                  place.thread().equals(ts)
                      ? message
                      : message
                          + "?thread_ts=%s&cid=%s".formatted(place.thread(), place.channel()));
            });
  }

  /// The permalink to the first message of a thread.
  public Optional<URI> of(SlackPlace thread) {
    return thread.isThread() ? of(thread, thread.thread()) : Optional.empty();
  }
}
