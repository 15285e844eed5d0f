package dev.runnel.core.model;

import java.time.Duration;
import java.util.Optional;

/// What became of a post.
public sealed interface Posting {
  /// @param conversation the thread that the post is in or has opened
  record Posted(PostRef ref, Conversation conversation) implements Posting {}

  /// Not now: a rate limit, an outage, a doubtful answer.
  record Later(Optional<Duration> after, String why) implements Posting {}

  /// Never: the channel is gone, the bot was not invited.
  ///
  /// @param why one plain sentence with what to do
  record Undeliverable(String why) implements Posting {}
}
