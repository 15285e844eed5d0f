package dev.runnel.surface.slack.model;

import java.net.URI;
import java.util.Optional;
import java.util.function.Function;

/// Links that show a message, made without asking Slack. Pure.
///
/// @param identity who we are in a workspace, once it is known; it must answer at once
public record SlackPermalinks(Function<String, Optional<SlackIdentity>> identity) {
  /// @param ts of a message in the place's thread, or of its first
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

  /// To the first message of a thread.
  public Optional<URI> of(SlackPlace thread) {
    return thread.isThread() ? of(thread, thread.thread()) : Optional.empty();
  }
}
