package dev.runnel.core.model.conversation;

import java.time.Duration;
import java.util.Optional;

/// The result of an attempt to post.
public sealed interface Posting {
  /// @param conversation the thread that the post is in or has opened
  record Posted(PostRef ref, Conversation conversation) implements Posting {}

  /// A temporary failure: a rate limit, an outage, an ambiguous response.
  record Later(Optional<Duration> after, String why) implements Posting {}

  /// A permanent failure: the channel is gone, the bot was not invited.
  ///
  /// @param why one plain sentence with what to do
  record Undeliverable(String why) implements Posting {}
}
